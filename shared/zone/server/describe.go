package server

import (
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// maxShown is how many values of one kind a line shows before it counts the rest.
const maxShown = 4

// clause is what an update says of one name in one way, such as "add A" of some addresses.
type clause struct {
	name, verb string
	values     []string
}

// String renders an update as one line in the words of nsupdate(1):
//
//	web.demo.fleet.test. prereq nxdomain; delete A, AAAA, TXT; add A 10.0.0.1, 10.0.0.2; add TXT "…"
func (u Update) String() string {
	var clauses []clause
	for _, rr := range u.Prerequisites {
		clauses = join(clauses, prerequisiteClause(rr))
	}
	for _, rr := range u.Changes {
		clauses = join(clauses, changeClause(rr))
	}
	var lines []string
	name := ""
	for _, c := range clauses {
		line := c.String()
		if c.name != name {
			name = c.name
			line = name + " " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func (c clause) String() string {
	if len(c.values) == 0 {
		return c.verb
	}
	text := c.verb + " " + strings.Join(c.values[:min(maxShown, len(c.values))], ", ")
	if more := len(c.values) - maxShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// join appends a clause, merged into the last one when that says the same of the same name.
func join(clauses []clause, c clause) []clause {
	if last := len(clauses) - 1; last >= 0 && clauses[last].name == c.name && clauses[last].verb == c.verb {
		clauses[last].values = append(clauses[last].values, c.values...)
		return clauses
	}
	return append(clauses, c)
}

func prerequisiteClause(rr dns.RR) clause {
	h := rr.Header()
	exists := map[bool]string{true: "yx", false: "nx"}[h.Class != dns.ClassNONE]
	switch {
	case h.Rrtype == dns.TypeANY:
		return clause{name: h.Name, verb: "prereq " + exists + "domain"}
	case h.Class == dns.ClassINET:
		return clause{h.Name, "prereq yxrrset " + dns.Type(h.Rrtype).String(), []string{rdata(rr)}}
	default:
		return clause{h.Name, "prereq " + exists + "rrset", []string{dns.Type(h.Rrtype).String()}}
	}
}

func changeClause(rr dns.RR) clause {
	h := rr.Header()
	kind := dns.Type(h.Rrtype).String()
	switch h.Class {
	case dns.ClassANY:
		return clause{h.Name, "delete", []string{kind}}
	case dns.ClassNONE:
		return clause{h.Name, "delete " + kind, []string{rdata(rr)}}
	default:
		return clause{h.Name, "add " + kind, []string{rdata(rr)}}
	}
}

// rdata renders a record without its header.
func rdata(rr dns.RR) string { return strings.TrimPrefix(rr.String(), rr.Header().String()) }
