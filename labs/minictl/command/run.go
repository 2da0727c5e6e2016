package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/twinloop/labs/minictl"
)

// outputFlags say how to print, and so suit every scenario.
var outputFlags = []string{"json", "svg", "help"}

func newRunCommand() *cobra.Command {
	var given minictl.Parameters
	var surge, unavailable, picture string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Play a scenario and print its log",
		Long: `Play a scenario and print its log, what it comes down to, and how many events each controller heard and how often
it went to work. A tick stands for a second. Without a flag a scenario has its own default; --json prints them all.`,
		Example: `  # A rolling update: never more than 4 pods, never fewer than 3 ready
  minictl run rolling

  # The same with ten replicas, drawn
  minictl run rolling --replicas 10 --surge 25% --unavailable 25% --svg rolling.svg`,
		Args: exactlyOne("scenario"),
		RunE: func(cmd *cobra.Command, args []string) error {
			scenario, err := findScenario(args[0])
			if err != nil {
				return err
			}
			if err := checkHeeded(cmd.Flags(), scenario); err != nil {
				return err
			}
			given.Surge, given.Unavailable = intstr.Parse(surge), intstr.Parse(unavailable)
			result, err := scenario.Play(merge(cmd.Flags(), scenario.Defaults, given))
			if result == nil {
				return err
			}
			if err := draw(result, picture); err != nil {
				return err
			}
			return cmp.Or(print(cmd, result, asJSON), err)
		},
	}
	flags := cmd.Flags()
	flags.Int32Var(&given.Replicas, "replicas", 0, "pods wanted")
	flags.StringVar(&surge, "surge", "", "maxSurge: how many pods above that, as a number or a percentage")
	flags.StringVar(&unavailable, "unavailable", "", "maxUnavailable: how many pods below that, as a number or a percentage")
	flags.IntVar(&given.ReadyAfter, "ready-after", 0, "ticks from a pod's creation until it is ready")
	flags.Int32Var(&given.MinReadySeconds, "min-ready-seconds", 0, "ticks for which a pod is ready before it is available")
	flags.BoolVar(&given.Recreate, "recreate", false, "remove all old pods before the first new one")
	flags.Int64Var(&given.Seed, "seed", 0, "what the names of pods follow from")
	flags.IntVar(&given.Ticks, "ticks", 0, "ticks that the run may take")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	flags.StringVar(&picture, "svg", "", "draw the pods over time into a file")
	return cmd
}

func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("give one %s, not %d; see '%s --help'", what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

func findScenario(name string) (minictl.Scenario, error) {
	names := &cobra.Command{SuggestionsMinimumDistance: 3}
	for _, scenario := range minictl.Scenarios() {
		if scenario.Name == name {
			return scenario, nil
		}
		names.AddCommand(&cobra.Command{Use: scenario.Name, Run: func(*cobra.Command, []string) {}})
	}
	if near := names.SuggestionsFor(name); len(near) > 0 {
		return minictl.Scenario{}, fmt.Errorf("no scenario %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return minictl.Scenario{}, fmt.Errorf("no scenario %q; 'minictl list' lists them", name)
}

// checkHeeded refuses a flag that would make no difference.
func checkHeeded(flags *pflag.FlagSet, scenario minictl.Scenario) error {
	var err error
	flags.Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(scenario.Heeds, flag.Name) && !slices.Contains(outputFlags, flag.Name) {
			used := strings.Join(scenario.Heeds, ", --")
			err = fmt.Errorf("--%s: %s does not use it; it uses --%s", flag.Name, scenario.Name, used)
		}
	})
	if recreate, _ := flags.GetBool("recreate"); err == nil && recreate && (flags.Changed("surge") || flags.Changed("unavailable")) {
		err = errors.New("--recreate: leaves nothing for --surge and --unavailable to bound; leave it out, or them")
	}
	return err
}

// merge puts what was given in place of defaults.
func merge(flags *pflag.FlagSet, merged, given minictl.Parameters) minictl.Parameters {
	for name, take := range map[string]func(){
		"replicas":          func() { merged.Replicas = given.Replicas },
		"surge":             func() { merged.Surge = given.Surge },
		"unavailable":       func() { merged.Unavailable = given.Unavailable },
		"ready-after":       func() { merged.ReadyAfter = given.ReadyAfter },
		"min-ready-seconds": func() { merged.MinReadySeconds = given.MinReadySeconds },
		"recreate":          func() { merged.Recreate = given.Recreate },
		"seed":              func() { merged.Seed = given.Seed },
		"ticks":             func() { merged.Ticks = given.Ticks },
	} {
		if flags.Changed(name) {
			take()
		}
	}
	return merged
}

func print(cmd *cobra.Command, result *minictl.Result, asJSON bool) error {
	if !asJSON {
		return result.Print(cmd.OutOrStdout())
	}
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}

func draw(result *minictl.Result, path string) error {
	if path == "" {
		return nil
	}
	if path == "-" {
		return errors.New("--svg: must be the name of a file, not -")
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("--svg: %w", err)
	}
	return errors.Join(minictl.Draw(file, result), file.Close())
}
