package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/twinloop/shared/operator"
)

// findOperators returns the operators that --operator names.
func findOperators(names []string) ([]operator.Operator, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("--operator: name one of %s", operatorNames())
	}
	var all []operator.Operator
	for i, name := range names {
		found, err := operator.Find(name)
		if err != nil {
			return nil, fmt.Errorf("--operator: %w", err)
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--operator: %s is named twice", name)
		}
		all = append(all, found)
	}
	return all, nil
}

func operatorNames() string { return strings.Join(knownOperators(), ", ") }

func knownOperators() (names []string) {
	for _, o := range operator.Known {
		names = append(names, o.Name)
	}
	return names
}
