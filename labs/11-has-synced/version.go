package hassynced

import (
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"example.com/twinloop/labs/lab"
)

const (
	older   = "older"
	current = "the same or newer"
)

var versions = lab.Choice{older, current}

// version says how far the store has come, compared with the last write. Unlike HasSynced it says so at any time.
func (s *settings) version() (string, error) {
	order, err := resourceversion.CompareResourceVersion(s.informer.GetStore().LastStoreSyncResourceVersion(), s.written)
	if err != nil {
		return "", err
	}
	if order < 0 {
		return older, nil
	}
	return current, nil
}
