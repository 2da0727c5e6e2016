package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process/scratch"
)

type drillOptions struct {
	operators []string
	lanes     int
	points    []string
	shard     string
	output    string
	html      string
}

func newDrillCommand() *cobra.Command {
	var o drillOptions
	command := &cobra.Command{
		Use:   "drill NAME --operator OPERATOR[,OPERATOR]",
		Short: "Break an operator at exact places and see whether it recovers",
		Long: "Run a drill against an operator: start a control plane, build the operator, record what it does when nothing\n" +
			"goes wrong, then inject the drill's fault at every point of that and judge what comes of each.\n\n" +
			"Drills: " + strings.Join(drill.Names(), ", ") + ", or a file such as chaos/drills/crash.yaml.\n\n" +
			"Exit status: 0 if the operators pass at every point, 1 if one does not, 2 if the drill could not be held.",
		Example: "  twinloop drill crash --operator handwired,kubebuilder\n" +
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
	flags.StringSliceVar(&o.operators, "operator", nil,
		"Operators to drill, one after the other, separated by commas: "+operatorNames()+".")
	flags.IntVar(&o.lanes, "lanes", 3*runtime.NumCPU(), "Number of points to run at once, each in a namespace of its own.")
	flags.StringArrayVar(&o.points, "point", nil, "Run only this point, as the table prints it. May be repeated.")
	flags.StringVar(&o.shard, "shard", "", "Run only the i-th of n parts of the points, as i/n.")
	flags.StringVarP(&o.output, "output", "o", "table", "What to print: table or json.")
	flags.StringVar(&o.html, "html", "", "Also write a page with a timeline of every point to this file.\n"+
		"For several operators it is a page each, x-handwired.html for x.html.")
	return command
}

func (o drillOptions) run(ctx context.Context, name string, stdout, stderr io.Writer) error {
	options, subjects, err := o.parse(name)
	if err != nil {
		return err
	}
	if err := o.checkPages(); err != nil {
		return err
	}
	folder, err := scratch.New("drill")
	if err != nil {
		return err
	}
	defer folder.Remove()
	for _, subject := range subjects {
		fmt.Fprintf(stderr, "building %s\n", subject.Name)
		if err := subject.Build(ctx, filepath.Join(folder.Path, subject.Name)); err != nil {
			return err
		}
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
	var reports drill.Reports
	for _, subject := range subjects {
		fmt.Fprintf(stderr, "drilling %s\n", subject.Name)
		report, failure := hold(ctx, options, subject, filepath.Join(folder.Path, subject.Name), stderr)
		if failure != nil {
			err = fmt.Errorf("%s: %w", subject.Name, failure)
			break
		}
		reports = append(reports, report)
	}
	// What came of the first operators is printed even if the drill could not be held with the next.
	return cmp.Or(err, o.print(reports, stdout), verdict(reports))
}

// hold drills one operator.
func hold(
	ctx context.Context, options drill.Options, subject operator.Operator, binary string, stderr io.Writer,
) (*drill.Report, error) {
	client, err := kubernetes.NewForConfig(options.ControlPlane.AdminConfig())
	if err != nil {
		return nil, err
	}
	identity, err := subject.Install(ctx, client)
	if err != nil {
		return nil, err
	}
	options.Subject = drill.Subject{Name: subject.Name, Binary: binary, Identity: identity}
	progress := newDrillProgress(stderr)
	defer progress.end()
	options.Progress = progress.show
	return drill.Run(ctx, options)
}

// parse checks everything that can be wrong with the command line before anything is started.
func (o drillOptions) parse(name string) (drill.Options, []operator.Operator, error) {
	var options drill.Options
	definition, err := drill.Load(name)
	if err != nil {
		return options, nil, err
	}
	subjects, err := findOperators(o.operators)
	if err != nil {
		return options, nil, err
	}
	if o.lanes < 1 {
		return options, nil, fmt.Errorf("--lanes: must be at least 1, not %d", o.lanes)
	}
	if !slices.Contains([]string{"table", "json"}, o.output) {
		return options, nil, fmt.Errorf("--output: must be table or json, not %q", o.output)
	}
	options.Definition, options.Lanes = definition, o.lanes
	for _, text := range o.points {
		point, err := drill.ParsePoint(text)
		if err == nil {
			err = definition.CheckPoint(point)
		}
		if err != nil {
			return options, nil, fmt.Errorf("--point: %w", err)
		}
		options.Points = append(options.Points, point)
	}
	switch {
	case o.shard != "" && len(o.points) > 0:
		return options, nil, errors.New("--shard, --point: give only one of them")
	case o.shard != "":
		options.Shard, options.Shards, err = parseShard(o.shard)
	}
	return options, subjects, err
}

func parseShard(text string) (i, n int, err error) {
	part, parts, _ := strings.Cut(text, "/")
	i, noPart := strconv.Atoi(part)
	n, noParts := strconv.Atoi(parts)
	if noPart != nil || noParts != nil || i < 1 || i > n {
		return 0, 0, fmt.Errorf("--shard: must be i/n with i from 1 to n, such as 1/4, not %q", text)
	}
	return i, n, nil
}

// print prints the reports before it writes the pages, so that they are seen even if those cannot be written.
func (o drillOptions) print(reports drill.Reports, stdout io.Writer) error {
	if len(reports) == 0 {
		return nil
	}
	write := map[string]func(io.Writer) error{"table": reports.WriteTable, "json": reports.WriteJSON}
	if !o.several() {
		write = map[string]func(io.Writer) error{"table": reports[0].WriteTable, "json": reports[0].WriteJSON}
	}
	if err := write[o.output](stdout); err != nil {
		return err
	}
	return o.writePages(reports)
}

func (o drillOptions) several() bool { return len(o.operators) > 1 }

// verdict is nil if every operator passed at every point.
func verdict(reports drill.Reports) error {
	var failed []string
	for _, report := range reports {
		s := report.Summary
		if s.Injected == 0 {
			return fmt.Errorf("%s: no fault was injected, so nothing was tested", s.Operator)
		}
		if s.Failed > 0 {
			failed = append(failed, fmt.Sprintf("%s failed at %d of %d points", s.Operator, s.Failed, s.Points))
		}
	}
	if len(failed) > 0 {
		return finding{errors.New(strings.Join(failed, ", "))}
	}
	return nil
}
