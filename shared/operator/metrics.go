package operator

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Metrics reads an operator's metrics from the address that it was given as --metrics-bind-address. Whether they are
// served with TLS and to whom is the operator's business: the certificate may be its own, and the bearer token is sent
// where there is TLS.
func Metrics(ctx context.Context, address, token string) (string, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	text, err := getMetrics(ctx, client, "https://"+address+"/metrics", token)
	if err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return getMetrics(ctx, client, "http://"+address+"/metrics", "")
	}
	return text, err
}

func getMetrics(ctx context.Context, client *http.Client, url, token string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return string(text), err
}
