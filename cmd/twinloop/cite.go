package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/cite"
)

func newCiteCommand() *cobra.Command {
	var check, fix bool
	var output string
	command := &cobra.Command{
		Use:   "cite [--check | --fix]",
		Short: "List the citations of source code in documents and comments, check them, or move them",
		Long: "List what Markdown, YAML and the comments of Go cite of the project and of the modules that it is pinned to.\n\n" +
			"A citation is a location and what stands there: a text of that line alone, or a Go symbol.\n\n" +
			"  module@version/file:line `text`\n" +
			"  module@version/file:line#Symbol\n" +
			"  file:line `text`\n\n" +
			"Exit status: 0 if all is well, 1 if a citation is not true, 2 if it could not be done.",
		Example: `  # Fail if a line, a text or a version is not as it is cited
  twinloop cite --check

  # After an upgrade: move versions and lines, and say what a person must mend
  twinloop cite --fix`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch {
			case check:
				return checkCitations(command)
			case fix:
				return fixCitations(command)
			default:
				return listCitations(command, output)
			}
		},
	}
	flags := command.Flags()
	flags.BoolVar(&check, "check", false, "Look every citation up, and exit with 1 if one is not true.")
	flags.BoolVar(&fix, "fix", false,
		"Write the lines and versions that citations have moved to, and exit with 1 if what is cited is gone or ambiguous.")
	flags.StringVarP(&output, "output", "o", "table", "What to print of the list: table, json or yaml.")
	command.MarkFlagsMutuallyExclusive("check", "fix", "output")
	return command
}

func listCitations(command *cobra.Command, output string) error {
	write, ok := citationWriters[output]
	if !ok {
		return fmt.Errorf("--output: must be table, json or yaml, not %q", output)
	}
	citations, err := cite.List(command.Context())
	if err != nil {
		return err
	}
	return write(command.OutOrStdout(), citations)
}

func checkCitations(command *cobra.Command) error {
	report, err := cite.Check(command.Context(), command.ErrOrStderr())
	if err != nil {
		return err
	}
	return reportCitations(command.OutOrStdout(), report)
}

func fixCitations(command *cobra.Command) error {
	moved, report, err := cite.Fix(command.Context(), command.ErrOrStderr())
	for _, m := range moved {
		fmt.Fprintf(command.OutOrStdout(), "%s:%d: %s: moved to %s\n", m.File, m.Line, m.Of, m.Moved)
	}
	if err != nil {
		return err
	}
	return reportCitations(command.OutOrStdout(), report)
}

func reportCitations(stdout io.Writer, report cite.Report) error {
	if _, err := fmt.Fprintln(stdout, report); err != nil {
		return err
	}
	var lines []string
	for _, problem := range report.Problems {
		lines = append(lines, problem.String())
	}
	if len(lines) > 0 {
		return finding{errors.New(strings.Join(lines, "\n"))}
	}
	return nil
}

var citationWriters = map[string]func(io.Writer, []cite.Citation) error{
	"table": func(out io.Writer, citations []cite.Citation) error {
		table := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
		fmt.Fprintln(table, "WHERE\tCITES\tWHAT")
		for _, c := range citations {
			fmt.Fprintf(table, "%s:%d\t%s\t%s\n", c.File, c.Line, c.Of, c.Cited())
		}
		return table.Flush()
	},
	"json": func(out io.Writer, citations []cite.Citation) error {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(citations)
	},
	"yaml": func(out io.Writer, citations []cite.Citation) error {
		content, err := yaml.Marshal(citations)
		if err != nil {
			return err
		}
		_, err = out.Write(content)
		return err
	},
}
