package fleet

import (
	"errors"
	"fmt"
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

// Unanswered reports whether a write failed without a word from the API server, and so may have happened.
func Unanswered(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status) || apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err)
}

// RevisionFailure is the API server's refusal to write a revision; nil when an error is none. After a conflict, an object
// that is gone or an answer that never came there is nothing to tell of, and another attempt to make.
func RevisionFailure(err error) error {
	if Unanswered(err) || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// errNoNumber is why a revision cannot become the newest after one with the largest number there is.
var errNoNumber = errors.New("no revision can be newer")

func noNumberAfter(revision string) error {
	return fmt.Errorf("ControllerRevision %s has the largest number there is, and %w: give it a lower one", revision, errNoNumber)
}

// forGood reports whether a revision is refused for what it is, which no retry changes. A quota, a right that is missing
// and a webhook may come to another answer about the same revision.
func forGood(failure error) bool {
	return apierrors.IsInvalid(failure) || errors.Is(failure, errNoNumber)
}
