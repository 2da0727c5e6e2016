package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/process/scratch"
)

// allDrills is the name that stands for every drill there is.
const allDrills = "all"

func newDrillCommand() *cobra.Command {
	var o drillOptions
	command := &cobra.Command{
		Use:   "drill NAME {--operator OPERATOR[,OPERATOR] | --config FILE}",
		Short: "Break an operator at exact places and see whether it recovers",
		Long: "Run a drill against an operator: start a control plane, build the operator, record what it does when nothing\n" +
			"goes wrong, then run every point of the drill, each from the start in a namespace of its own, and judge what comes\n" +
			"of it.\n\n" + describeDrills() + "\n" +
			"With --config it is an operator of yours: the file says how to start it and what life it goes through, and the drill\n" +
			"what is done to it meanwhile. 'twinloop drill init' writes a first version of the file.\n\n" +
			"Exit status: 0 if the operators pass at every point, 1 if one does not, 2 if the drill could not be held,\n" +
			"130 if it was interrupted.",
		Example: "  twinloop drill crash --operator handwired,kubebuilder\n" +
			"  twinloop drill crash --operator handwired --point 'roll: POST pods #1, after' -o json\n" +
			"  twinloop drill errors --config drill.yaml",
		Args: cobra.MaximumNArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("name the drill: one of %s", strings.Join(append(drill.Names(), allDrills), ", "))
			}
			return o.run(command.Context(), args[0], command.OutOrStdout(), command.ErrOrStderr())
		},
	}
	command.AddCommand(newDrillMutantsCommand())
	flags := command.Flags()
	flags.StringSliceVar(&o.operators, "operator", nil,
		"Operators to drill, one after the other, separated by commas: "+operatorNames()+".")
	flags.StringVar(&o.config, "config", "", "Drill the operator that this file describes.")
	flags.StringArrayVar(&o.inheritEnv, "inherit-env", nil,
		"Pass this variable of your environment on to the operator, which has one of its own. May be repeated.")
	flags.IntVar(&o.lanes, "lanes", 0,
		fmt.Sprintf("Number of points to run at once, each in a namespace of its own. Default: %d, and %d where most of the time is waited.\n"+
			"Those of an operator that is clusterWide are run one after the other.", busyLanes, waitingLanes))
	flags.StringArrayVar(&o.points, "point", nil, "Run only this point, as the table prints it. May be repeated.")
	flags.StringVar(&o.shard, "shard", "", "Run only the i-th of n parts of the points, as i/n.")
	flags.Uint64Var(&o.seed, "seed", 1, "Which pairs of kills are drawn, where a drill draws some.")
	flags.StringVarP(&o.output, "output", "o", "table", "What to print: "+strings.Join(outputs, ", ")+".")
	flags.StringVar(&o.html, "html", "", "Also write a page with a timeline of every point to this file.\n"+
		"For several operators or drills it is a page each, such as x-crash-handwired.html for x.html.")
	command.AddCommand(newDrillInitCommand())
	return command
}

// busyLanes keep the processors busy; waitingLanes are for runs that mostly wait, such as for a Lease to run out.
var busyLanes, waitingLanes = 3 * runtime.NumCPU(), 12 * runtime.NumCPU()

// describeDrills lists the drills, a line each.
func describeDrills() string {
	var text strings.Builder
	for _, name := range drill.Names() {
		fmt.Fprintf(&text, "  %-10s %s\n", name, drill.Describe(name))
	}
	fmt.Fprintf(&text, "  %-10s every one of them\n", allDrills)
	return text.String()
}

func (o drillOptions) run(ctx context.Context, name string, stdout, stderr io.Writer) error {
	work, err := o.parse(name)
	if err != nil {
		return err
	}
	if err := o.checkPages(work); err != nil {
		return err
	}
	folder, err := scratch.New("drill")
	if err != nil {
		return err
	}
	defer folder.Remove()
	for _, subject := range work.subjects {
		if err := subject.prepare(ctx, folder.Path, stderr); err != nil {
			return err
		}
	}
	fmt.Fprintln(stderr, "starting a control plane")
	ground, err := controlplane.Start(ctx, controlplane.Options{
		CRDs:        work.crds(),
		Controllers: work.controllers(),
		Kubelet:     &kubelet.Options{},
		Progress:    stderr,
	})
	if err != nil {
		return err
	}
	defer ground.Stop()
	reports, err := o.hold(ctx, work, ground, stderr)
	// What came of the first points is printed even if the next could not be run.
	return cmp.Or(err, errors.Join(o.print(reports, work.several(), stdout), verdict(reports)))
}

// hold holds each drill with each operator.
func (o drillOptions) hold(
	ctx context.Context, work *drillWork, ground *controlplane.ControlPlane, stderr io.Writer,
) (drill.Reports, error) {
	client, err := kubernetes.NewForConfig(ground.AdminConfig())
	if err != nil {
		return nil, err
	}
	var reports drill.Reports
	for _, subject := range work.subjects {
		identity, err := subject.install(ctx, ground, client, stderr)
		if err != nil {
			return reports, err
		}
		for _, definition := range work.definitions {
			fmt.Fprintf(stderr, "%s: %s\n", subject.name, definition.Name)
			for _, note := range definition.Renamed {
				fmt.Fprintf(stderr, "%s: %s\n", definition.Source, note)
			}
			options := work.options
			options.Definition, options.ControlPlane = definition, ground
			options.Lanes = cmp.Or(o.lanes, lanesFor(definition))
			command := subject.command
			command.Inherit = o.inheritEnv
			options.Subject = drill.Subject{
				Name: subject.name, Command: command, Identity: identity, ClusterWide: subject.clusterWide,
			}
			progress := newDrillProgress(stderr)
			options.Progress = progress.show
			report, err := drill.Run(ctx, options)
			progress.end()
			if report != nil {
				reports = append(reports, report)
			}
			if err != nil {
				return reports, fmt.Errorf("%s, %s: %w", subject.name, definition.Name, err)
			}
		}
	}
	return reports, nil
}

func lanesFor(definition *drill.Definition) int {
	if len(definition.Faults) > 0 {
		return busyLanes
	}
	return waitingLanes
}

// verdict is nil if every operator passed at every point.
func verdict(reports drill.Reports) error {
	var failed []string
	for _, report := range reports {
		s := report.Summary
		if s.Injected == 0 {
			return fmt.Errorf("%s, %s: no fault was injected, so nothing was tested", s.Operator, s.Drill)
		}
		if s.Passed+s.Failed == 0 {
			return fmt.Errorf("%s, %s: nothing was judged: at none of %d points did the restarted operator begin to work within a "+
				"step's time, or was a finding made again; give a longer timeout", s.Operator, s.Drill, s.Points)
		}
		if s.Failed > 0 {
			failed = append(failed, fmt.Sprintf("%s failed %s at %d of %d points", s.Operator, s.Drill, s.Failed, s.Points))
		}
		if len(report.FaultFree) > 0 {
			failed = append(failed, fmt.Sprintf("%s failed %s without any fault", s.Operator, s.Drill))
		}
	}
	if len(failed) > 0 {
		return finding{errors.New(strings.Join(failed, "; "))}
	}
	return nil
}

// crds are the definitions that the operators need.
func (w *drillWork) crds() []*apiextensionsv1.CustomResourceDefinition {
	seen := map[string]bool{}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, subject := range w.subjects {
		for _, definition := range subject.manifest.CRDs {
			if !seen[definition.Name] {
				seen[definition.Name] = true
				all = append(all, definition)
			}
		}
	}
	return all
}

// controllers are those of kube-controller-manager that run.
func (w *drillWork) controllers() []string {
	all := controlplane.Housekeeping
	for _, subject := range w.subjects {
		all = append(all, subject.controllers...)
	}
	return all
}
