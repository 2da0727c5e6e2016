package proxy

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind says what a request does to which resource: `POST pods`, `PATCH fleets/status`, `WATCH pods`,
// `GET /healthz`. The verbs are those of the API server's metric apiserver_request_total: the HTTP method for
// what writes, and GET, LIST or WATCH, which HTTP does not tell apart, for what reads. (That metric has APPLY as
// well; here it is the PATCH that it is on the wire.) The group is left out, as one does in speaking.
type Kind string

// writeMethods gives the API's writing verbs their names in a Kind.
var writeMethods = map[string]string{
	"create":           "POST",
	"update":           "PUT",
	"patch":            "PATCH",
	"delete":           "DELETE",
	"deletecollection": "DELETECOLLECTION",
}

// kindVerbs are the verbs a Kind may be asked for with, in the order in which an error lists them.
var kindVerbs = []string{"GET", "LIST", "WATCH", "POST", "PUT", "PATCH", "DELETE", "DELETECOLLECTION", "UPDATE"}

// ParseKind reads a kind as people write it: the verb in either case, one space, the resource or path.
func ParseKind(text string) (Kind, error) {
	verb, resource, _ := strings.Cut(text, " ")
	verb = strings.ToUpper(verb)
	if !slices.Contains(kindVerbs, verb) {
		return "", fmt.Errorf("request kind %q: want it to begin with one of %s", text, strings.Join(kindVerbs, ", "))
	}
	if resource == "" || strings.ContainsAny(resource, " #") {
		return "", fmt.Errorf("request kind %q: want one resource after the verb, as in `POST pods`", text)
	}
	return Kind(verb + " " + resource), nil
}
