package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/twinloop/labs/lab"
)

// findLab is the lab with a number (6, 06), a name or a folder. The error names those that may have been meant.
func findLab(all []lab.Lab, text string) (lab.Lab, error) {
	number, err := strconv.Atoi(text)
	numbered := err == nil
	for _, l := range all {
		if text == l.Name || text == l.Folder() || numbered && number == l.Number {
			return l, nil
		}
	}
	if meant := similarLabs(all, text); len(meant) > 0 && !numbered {
		return lab.Lab{}, fmt.Errorf("there is no lab %q: did you mean %s?", text, strings.Join(meant, " or "))
	}
	var there []string
	for _, l := range all {
		there = append(there, fmt.Sprintf("%d (%s)", l.Number, l.Name))
	}
	return lab.Lab{}, fmt.Errorf("there is no lab %q: name one of %s", text, strings.Join(there, ", "))
}

// similarLabs are the names that are a few typing mistakes away, as cobra suggests commands.
func similarLabs(all []lab.Lab, text string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 3}
	for _, l := range all {
		names.AddCommand(&cobra.Command{Use: l.Name, Run: func(*cobra.Command, []string) {}})
	}
	return names.SuggestionsFor(text)
}
