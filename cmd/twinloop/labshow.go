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
	return oneLab(all, &cobra.Command{
		Use:   "show LAB",
		Short: "Show a lab's page; as Markdown where the output is no terminal",
	}, func(cmd *cobra.Command, l lab.Lab) error {
		out, text := cmd.OutOrStdout(), l.Page
		if terminal(out) != nil {
			text = page.Render(text, widthOf(out), inColor(out))
		}
		_, err := fmt.Fprint(out, text)
		return err
	})
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
