package drill

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Fault is what is done to a write.
type Fault string

const (
	// Before: the operator is killed, and the write is not sent on.
	Before Fault = "before"
	// After: the write is carried out, and the operator is killed before it hears of it.
	After Fault = "after"
	// Drop: the write is not sent on, and the connection breaks.
	Drop Fault = "drop"
	// Cut: the write is carried out, and the connection breaks before the answer.
	Cut Fault = "cut"
	// Silence is no fault: nothing happens, and the operator must do nothing.
	Silence Fault = "silence"
)

// refusals are the HTTP statuses that a write can be answered with instead of being carried out, a Fault each: "409".
// 422 is left out: it says that a request can never succeed, and no scenario could.
var refusals = []int{
	http.StatusConflict, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// faults are all there are.
func faults() []Fault {
	all := []Fault{Before, After, Drop, Cut}
	for _, code := range refusals {
		all = append(all, Fault(strconv.Itoa(code)))
	}
	return all
}

// validate names the faults that there are to one that is none of them.
func (f Fault) validate() error {
	if slices.Contains(faults(), f) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", string(f), list(faults()))
}

// list names faults.
func list(faults []Fault) string {
	var names []string
	for _, fault := range faults {
		names = append(names, string(fault))
	}
	return strings.Join(names, ", ")
}

// kills reports whether the operator dies of it.
func (f Fault) kills() bool { return f == Before || f == After }

// status is what a refusal is answered with; 0 if the fault is none.
func (f Fault) status() int {
	code, _ := strconv.Atoi(string(f))
	return code
}
