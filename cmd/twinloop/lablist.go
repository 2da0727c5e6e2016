package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/progress"
)

// labRow is a lab as it is listed.
type labRow struct {
	Number    int       `json:"number"`
	Name      string    `json:"name"`
	Title     string    `json:"title"`
	Module    string    `json:"module"`
	Needs     lab.Needs `json:"needs"`
	Minutes   int       `json:"minutes"`
	Questions int       `json:"questions"`
	Predicted int       `json:"predicted"`
	Stage     string    `json:"stage,omitempty"`
}

func newLabListCommand(all []lab.Lab) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the labs, and how far you came",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			print, ok := labPrinters[output]
			if !ok {
				return fmt.Errorf("-o must be table, json or yaml, but is %q", output)
			}
			file, err := progress.Default()
			if err != nil {
				return err
			}
			p, err := file.Read()
			if err != nil {
				return err
			}
			return print(cmd.OutOrStdout(), labRows(all, p))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "output format: table, json or yaml")
	return cmd
}

func labRows(all []lab.Lab, p progress.Progress) []labRow {
	rows := []labRow{}
	for _, l := range all {
		record := p.Labs[l.Folder()]
		rows = append(rows, labRow{
			Number: l.Number, Name: l.Name, Title: l.Title, Module: l.Module, Needs: l.Needs, Minutes: l.Minutes,
			Questions: len(l.Questions), Predicted: record.Predicted(l), Stage: record.Stage(l),
		})
	}
	return rows
}

var labPrinters = map[string]func(io.Writer, []labRow) error{
	"table": printLabTable,
	"json": func(out io.Writer, rows []labRow) error {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(rows)
	},
	"yaml": func(out io.Writer, rows []labRow) error {
		content, err := yaml.Marshal(rows)
		if err != nil {
			return err
		}
		_, err = out.Write(content)
		return err
	},
}

// printLabTable has the progress in the last column, where color does not disturb the alignment.
func printLabTable(out io.Writer, rows []labRow) error {
	color := inColor(out)
	table := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, "LAB\tNAME\tTITLE\tNEEDS\tMINUTES\tPROGRESS")
	for _, r := range rows {
		stage := cmp.Or(r.Stage, "—")
		if color {
			stage = colorOfStage(r.Stage) + stage + "\x1b[0m"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%s\n", r.Number, r.Name, r.Title, r.Needs, r.Minutes, stage)
	}
	return table.Flush()
}

func colorOfStage(stage string) string {
	switch stage {
	case "checked":
		return "\x1b[32m"
	case "check failed":
		return "\x1b[31m"
	case "":
		return "\x1b[2m"
	}
	return "\x1b[33m"
}
