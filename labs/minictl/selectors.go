package minictl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// completions finish any text that is the beginning of a selector.
var completions = []string{"", "a", "1", "=a", ")", "a)", "(a)", " (a)", "n (a)", "in (a)", "tin (a)", "otin (a)"}

// ParseSelector reads a label selector as kubectl get -l does. Its error says at which character, counted from 1, the
// text ceases to be the beginning of any selector.
func ParseSelector(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err == nil {
		return selector, nil
	}
	runes := []rune(text)
	good := len(runes)
	for good > 0 && !beginsSelector(string(runes[:good])) {
		good--
	}
	reason := strings.TrimPrefix(err.Error(), "unable to parse requirement: ")
	reason = strings.TrimPrefix(reason, "<nil>: ") // the path to a selector that is in no object
	return nil, fmt.Errorf("selector %q: position %d: %s", text, good+1, reason)
}

func beginsSelector(text string) bool {
	for _, completion := range completions {
		if _, err := labels.Parse(text + completion); err == nil {
			return true
		}
	}
	return false
}

// item is as much of an object or a list as selecting takes.
type item struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

// Select returns those objects of a list, or of a single one, that a selector matches, as kubectl get -o name prints
// them. The content is JSON.
func Select(content []byte, selector labels.Selector) ([]string, error) {
	read, err := readItem(content)
	if err != nil {
		return nil, fmt.Errorf("must be one object, such as a Pod or a List, as of kubectl get -o json: %w", err)
	}
	ofList, isList := strings.CutSuffix(read.Kind, "List")
	if !isList {
		return matching([]item{read}, selector), read.validate()
	}
	var items []item
	for i, raw := range read.Items {
		one, err := readItem(raw)
		if err != nil {
			return nil, fmt.Errorf("items[%d]: must be an object: %w", i, err)
		}
		if one.Kind == "" { // a list from the API itself says it once for all
			one.APIVersion, one.Kind = read.APIVersion, ofList
		}
		if err := one.validate(); err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
		items = append(items, one)
	}
	return matching(items, selector), nil
}

func readItem(raw []byte) (item, error) {
	var read item
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return read, fmt.Errorf("found %s", abbreviate(trimmed))
	}
	err := json.Unmarshal(raw, &read)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		err = fmt.Errorf("%s: found a JSON %s", wrong.Field, wrong.Value)
	}
	return read, err
}

func (i item) validate() error {
	if i.Kind == "" || i.Metadata.Name == "" {
		return errors.New("kind and metadata.name must be set")
	}
	return nil
}

func abbreviate(raw []byte) string {
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '[':
		return "a JSON array"
	case len(raw) > 20:
		return fmt.Sprintf("%.20q...", raw)
	}
	return fmt.Sprintf("%q", raw)
}

func matching(items []item, selector labels.Selector) []string {
	var names []string
	for _, one := range items {
		if selector.Matches(labels.Set(one.Metadata.Labels)) {
			names = append(names, nameOf(one))
		}
	}
	return names
}

// nameOf is pod/web-1, or deployment.apps/web where there is a group.
func nameOf(one item) string {
	kind := strings.ToLower(one.Kind)
	if group := schema.FromAPIVersionAndKind(one.APIVersion, one.Kind).Group; group != "" {
		kind += "." + group
	}
	return kind + "/" + one.Metadata.Name
}
