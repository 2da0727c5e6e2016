package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"example.com/twinloop/shared/operator"
)

func addOperatorFlag(flags *pflag.FlagSet, name *string, purpose string) {
	flags.StringVar(name, "operator", "", "Operator to "+purpose+": "+operatorNames()+".")
}

// findOperator returns the operator that --operator names.
func findOperator(name string) (operator.Operator, error) {
	if name == "" {
		return operator.Operator{}, fmt.Errorf("--operator: name one of %s", operatorNames())
	}
	found, err := operator.Find(name)
	if err != nil {
		return found, fmt.Errorf("--operator: %w", err)
	}
	return found, nil
}

func operatorNames() string {
	var names []string
	for _, o := range operator.Known {
		names = append(names, o.Name)
	}
	return strings.Join(names, ", ")
}
