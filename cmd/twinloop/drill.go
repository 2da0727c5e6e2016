package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/operator"
)

type drillOptions struct {
	operator string
	lanes    int
	points   []string
	shard    string
	output   string
	html     string
}

func newDrillCommand() *cobra.Command {
	var o drillOptions
	command := &cobra.Command{
		Use:   "drill NAME --operator OPERATOR",
		Short: "Break an operator at exact places and see whether it recovers",
		Long: "Run a drill against an operator: start a control plane, build the operator, record what it does when nothing\n" +
			"goes wrong, then inject the drill's fault at every point of that and judge what comes of each.\n\n" +
			"Drills: " + strings.Join(drill.Names(), ", ") + ", or a file such as chaos/drills/crash.yaml.\n\n" +
			"Exit status: 0 if the operator passes at every point, 1 if it does not, 2 if the drill could not be held.",
		Example: "  twinloop drill crash --operator handwired\n" +
			"  twinloop drill crash --operator handwired --point 'roll: POST pods #1, after' -o json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("name the drill: one of %s", strings.Join(drill.Names(), ", "))
			}
			return o.run(command.Context(), args[0], command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	flags := command.Flags()
	addOperatorFlag(flags, &o.operator, "drill")
	flags.IntVar(&o.lanes, "lanes", 3*runtime.NumCPU(), "Number of points to run at once, each in a namespace of its own.")
	flags.StringArrayVar(&o.points, "point", nil, "Run only this point, as the table prints it. May be repeated.")
	flags.StringVar(&o.shard, "shard", "", "Run only the i-th of n parts of the points, as i/n.")
	flags.StringVarP(&o.output, "output", "o", "table", "What to print: table or json.")
	flags.StringVar(&o.html, "html", "", "Also write a page with a timeline of every point to this file.")
	return command
}

func (o drillOptions) run(ctx context.Context, name string, stdout, stderr io.Writer) error {
	options, subject, err := o.parse(name)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "twinloop-drill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	fmt.Fprintf(stderr, "building %s\n", subject.Name)
	binary := filepath.Join(dir, subject.Name)
	if err := subject.Build(ctx, binary); err != nil {
		return err
	}
	fmt.Fprintln(stderr, "starting a control plane")
	options.ControlPlane, err = controlplane.Start(ctx, controlplane.Options{
		CRDs:        []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Controllers: controlplane.Housekeeping,
		Kubelet:     &kubelet.Options{},
		Progress:    stderr,
	})
	if err != nil {
		return err
	}
	defer options.ControlPlane.Stop()
	client, err := kubernetes.NewForConfig(options.ControlPlane.AdminConfig())
	if err != nil {
		return err
	}
	identity, err := subject.Install(ctx, client)
	if err != nil {
		return err
	}
	options.Subject = drill.Subject{Name: subject.Name, Binary: binary, Identity: identity}

	progress := newDrillProgress(stderr)
	options.Progress = progress.show
	report, err := drill.Crash(ctx, options)
	progress.end()
	if err != nil {
		return err
	}
	return o.print(report, stdout)
}

// parse checks everything that can be wrong with the command line before anything is started.
func (o drillOptions) parse(name string) (drill.Options, operator.Operator, error) {
	var options drill.Options
	definition, err := drill.Load(name)
	if err != nil {
		return options, operator.Operator{}, err
	}
	subject, err := findOperator(o.operator)
	if err != nil {
		return options, subject, err
	}
	if o.lanes < 1 {
		return options, subject, fmt.Errorf("--lanes: must be at least 1, not %d", o.lanes)
	}
	if !slices.Contains([]string{"table", "json"}, o.output) {
		return options, subject, fmt.Errorf("--output: must be table or json, not %q", o.output)
	}
	options.Definition, options.Lanes = definition, o.lanes
	for _, text := range o.points {
		point, err := drill.ParsePoint(text)
		if err != nil {
			return options, subject, fmt.Errorf("--point: %w", err)
		}
		options.Points = append(options.Points, point)
	}
	if o.shard != "" {
		n, err := fmt.Sscanf(o.shard, "%d/%d", &options.Shard, &options.Shards)
		if err != nil || n != 2 || options.Shard < 1 || options.Shard > options.Shards {
			return options, subject, fmt.Errorf("--shard: must be i/n with i from 1 to n, such as 1/4, not %q", o.shard)
		}
	}
	return options, subject, nil
}

func (o drillOptions) print(report *drill.Report, stdout io.Writer) error {
	if o.html != "" {
		if err := writeFile(o.html, report.WriteHTML); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	write := report.WriteTable
	if o.output == "json" {
		write = report.WriteJSON
	}
	if err := write(stdout); err != nil {
		return err
	}
	s := report.Summary
	switch {
	case s.Injected == 0:
		return errors.New("no fault was injected, so nothing was tested")
	case s.Failed > 0:
		return finding{fmt.Errorf("%s failed at %d of %d points", s.Operator, s.Failed, s.Points)}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
