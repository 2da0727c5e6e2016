package enqueueakey

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// attempts are the versions that a worker acted on, in this order.
type attempts []int

// gone is in place of a version where there was no object to act on.
const gone = 0

// act is an attempt. The first one comes to firstResult.
func (a *attempts) act(object *corev1.ConfigMap, firstResult error) error {
	*a = append(*a, version(object))
	if len(*a) == 1 {
		return firstResult
	}
	return nil
}

// version is the number of an object's version.
func version(object *corev1.ConfigMap) int {
	if object == nil {
		return gone
	}
	n, err := strconv.Atoi(object.ResourceVersion)
	if err != nil {
		panic(err) // the server counts them
	}
	return n
}

// count is how many acted on a version of which something is true.
func (a attempts) count(is func(version int) bool) int {
	n := 0
	for _, version := range a {
		if is(version) {
			n++
		}
	}
	return n
}

func (a attempts) last() int { return a[len(a)-1] }

func (a attempts) String() string {
	var all []string
	for _, version := range a {
		if version == gone {
			all = append(all, "gone")
		} else {
			all = append(all, strconv.Itoa(version))
		}
	}
	return strings.Join(all, ", ")
}
