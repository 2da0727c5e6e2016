package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/page"
)

// widest is the longest line that is comfortable to read.
const widest = 100

func newLabShowCommand(all []lab.Lab) *cobra.Command {
	var whole bool
	cmd := oneLab(all, &cobra.Command{
		Use:   "show LAB",
		Short: "Show a lab's page; as Markdown where the output is no terminal",
		Long: "Show a lab's page; as Markdown where the output is no terminal. Until the lab was run it ends before what there is to\n" +
			"observe, so that you can predict it.",
	}, func(cmd *cobra.Command, l lab.Lab) error {
		_, record, err := readRecord(l)
		if err != nil {
			return err
		}
		out, text, hint := cmd.OutOrStdout(), l.Page, ""
		if before := page.BeforeRun(l.Page); !whole && len(record.Runs) == 0 && before != l.Page {
			text = before
			hint = fmt.Sprintf("What there is to observe, and why, follows once you ran it: twinloop lab run %d. Or --all, now.\n", l.Number)
		}
		if terminal(out) != nil {
			text = page.Render(text, widthOf(out), inColor(out))
		}
		if _, err := fmt.Fprint(out, text); err != nil {
			return err
		}
		_, err = fmt.Fprint(cmd.ErrOrStderr(), hint)
		return err
	})
	cmd.Flags().BoolVar(&whole, "all", false, "Show the whole page, also if the lab was not run.")
	return cmd
}

// widthOf is how wide text is to be on an output.
func widthOf(out io.Writer) int {
	if screen := terminal(out); screen != nil {
		if width, _, err := term.GetSize(int(screen.Fd())); err == nil && width > 0 {
			return min(width, widest)
		}
	}
	return widest
}
