package fleet

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// CreateFailure is the failure to create a pod, in words that are the same for every attempt, so that they can stand in a
// condition: the name that the API server made up for the pod it refused is left out.
func CreateFailure(generateName string, err error) error {
	return &createFailure{generateName: generateName, err: err}
}

type createFailure struct {
	generateName string
	err          error
}

func (f *createFailure) Error() string {
	text := f.err.Error()
	var status apierrors.APIStatus
	if errors.As(f.err, &status) && status.Status().Details != nil {
		if name := status.Status().Details.Name; strings.HasPrefix(name, f.generateName) {
			text = strings.ReplaceAll(text, name, f.generateName+"*")
		}
	}
	return "creating pods: " + text
}

func (f *createFailure) Unwrap() error { return f.err }
