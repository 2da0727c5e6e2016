package gone

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// etcd is etcd's own API, in the JSON that it speaks beside gRPC.
type etcd struct {
	url    string
	client *http.Client
}

func newEtcd(url string) etcd { return etcd{url, &http.Client{Transport: &http.Transport{}}} }

func (e etcd) close() { e.client.CloseIdleConnections() }

// compact has etcd forget every version of every key that was no longer the newest at a revision, as `etcdctl compact` does.
func (e etcd) compact(ctx context.Context, revision string) error {
	return e.call(ctx, "compaction", map[string]any{"revision": revision, "physical": true}, &struct{}{})
}

// modRevision is the revision of the last change that a key had seen at a revision; "0" is the newest.
func (e etcd) modRevision(ctx context.Context, key, at string) (string, error) {
	var answer struct {
		Kvs []struct {
			ModRevision string `json:"mod_revision"`
		} `json:"kvs"`
	}
	if err := e.call(ctx, "range", map[string]any{"key": []byte(key), "revision": at}, &answer); err != nil {
		return "", err
	}
	if len(answer.Kvs) == 0 {
		return "", fmt.Errorf("etcd has no key %s at revision %s", key, at)
	}
	return answer.Kvs[0].ModRevision, nil
}

// call calls a method of the service KV. The error is what etcd says.
func (e etcd) call(ctx context.Context, method string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+"/v3/kv/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := e.client.Do(post)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return json.NewDecoder(response.Body).Decode(answer)
	}
	var failure struct {
		Message string `json:"message"`
	}
	if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
		return err
	}
	return errors.New(failure.Message)
}
