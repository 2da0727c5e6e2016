package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"example.com/twinloop/chaos/mutants"
	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
)

type mutantOptions struct {
	mutants    []string
	operators  []string
	everywhere bool
	output     string
}

func newDrillMutantsCommand() *cobra.Command {
	var o mutantOptions
	command := &cobra.Command{
		Use:   "mutants",
		Short: "Build the operators with mistakes in them and see whether the drills find those",
		Long: "Build each operator with each of the mistakes in chaos/mutants, hold it against the drill that must find it, and\n" +
			"print who was caught. The operators without a mistake are drilled at all the same points, and must pass.\n\n" +
			"Exit status: 0 if every mutant is caught where it says and no alarm is false, 1 if not, 2 if it could not be done.",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.run(command.Context(), command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	flags := command.Flags()
	flags.StringSliceVar(&o.mutants, "mutant", nil, "Only these, by name or number, such as 09. Default: all.")
	flags.StringSliceVar(&o.operators, "operator", knownOperators(), "Only these operators.")
	flags.BoolVar(&o.everywhere, "everywhere", false,
		"Hold each mutant against every drill, at the points of all mutants, and not only against the one that must find it.")
	flags.StringVarP(&o.output, "output", "o", "table", "What to print: table or json.")
	return command
}

func (o mutantOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	chosen, err := o.choose()
	if err != nil {
		return err
	}
	subjects, err := findOperators(o.operators)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"table", "json"}, o.output) {
		return fmt.Errorf("--output: must be table or json, not %q", o.output)
	}
	ground, err := controlplane.Start(ctx, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Controllers: controlplane.Housekeeping,
		Kubelet:     &kubelet.Options{},
		Progress:    stderr,
	})
	if err != nil {
		return err
	}
	defer ground.Stop()
	cells, err := mutants.Run(ctx, mutants.Options{
		Mutants: chosen, Operators: subjects, ControlPlane: ground, Everywhere: o.everywhere, Lanes: 2 * runtime.NumCPU(),
		Progress: func(c mutants.Cell, done, total int) {
			fmt.Fprintf(stderr, "%d of %d: %s, %s, %s: %s\n", done, total, c.Mutant, c.Operator, c.Drill, c.Verdict)
		},
	})
	if err != nil {
		return err
	}
	write := map[string]func(io.Writer, []mutants.Cell) error{"table": mutants.WriteMatrix, "json": mutants.WriteJSON}[o.output]
	return cmp.Or(write(stdout, cells), unexpected(cells))
}

// choose returns the mutants that are named, by their whole name or its number.
func (o mutantOptions) choose() ([]mutants.Mutant, error) {
	all, err := mutants.All()
	if err != nil || len(o.mutants) == 0 {
		return all, err
	}
	var chosen []mutants.Mutant
	for _, name := range o.mutants {
		i := slices.IndexFunc(all, func(m mutants.Mutant) bool {
			number, _, _ := strings.Cut(m.Name, "-")
			return m.Name == name || number == name
		})
		if i < 0 {
			return nil, fmt.Errorf("--mutant: there is no %q in chaos/mutants: give a number from %s to %s, or a name",
				name, all[0].Name, all[len(all)-1].Name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// unexpected is nil if everything came out as the mutants say.
func unexpected(cells []mutants.Cell) error {
	if slices.ContainsFunc(cells, func(c mutants.Cell) bool { return !c.Expected() }) {
		return finding{errors.New(mutants.Summary(cells))}
	}
	return nil
}
