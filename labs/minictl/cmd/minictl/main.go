// Command minictl plays Kubernetes' controllers on a virtual clock.
//
// Exit status: 0 if all is well, 2 if it was used wrongly or cannot run.
package main

import (
	"fmt"
	"os"

	"example.com/twinloop/labs/minictl/command"
)

func main() {
	if err := command.New().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}
