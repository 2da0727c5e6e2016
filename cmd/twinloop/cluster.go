package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/controlplane/cluster"
	"example.com/twinloop/shared/controlplane/programs"
)

const defaultCluster = "default"

func newClusterCommand() *cobra.Command {
	cmd := newGroup("cluster", "Run Kubernetes clusters on this machine, without containers")
	cmd.Long = `Run Kubernetes clusters on this machine, without containers.

A cluster is etcd, kube-apiserver and kube-controller-manager on loopback, with a simulated node on which pods
run in appearance only, and the Fleet resource installed. The programs are built from source the first time.`
	cmd.AddCommand(newUpCommand(), newDownCommand(), newStatusCommand(), newKubeconfigCommand(), newKubectlCommand(),
		newBuildCommand(), newServeCommand())
	return cmd
}

func newUpCommand() *cobra.Command {
	var name string
	var readyAfter time.Duration
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster in the background",
		Example: `  # Start a cluster, and use it
  twinloop cluster up
  export KUBECONFIG=$(twinloop cluster kubeconfig)

  # Start a second one, on which pods take half a minute to become ready
  twinloop cluster up --name slow --ready-after 30s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return up(cmd, name, readyAfter)
		},
	}
	addNameFlag(cmd, &name)
	addReadyAfterFlag(cmd, &readyAfter)
	return cmd
}

func up(cmd *cobra.Command, name string, readyAfter time.Duration) error {
	if readyAfter < 0 {
		return fmt.Errorf("--ready-after must not be negative, but is %s", readyAfter)
	}
	if info, err := cluster.Get(name); err == nil && info.Phase == cluster.Dead {
		cmd.PrintErrf("Cluster %q had died; starting it anew.\n", name)
	}
	if _, err := programs.Ensure(cmd.Context(), os.Stderr); err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	began := time.Now()
	supervisor := exec.Command(executable, "cluster", "serve", "--name", name, "--ready-after", readyAfter.String())
	info, started, err := cluster.Up(cmd.Context(), name, supervisor)
	if err != nil {
		return err
	}
	how := "was already up"
	if started {
		how = fmt.Sprintf("is up after %.1fs", time.Since(began).Seconds())
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), `Cluster %q %s: Kubernetes %s at %s.

  export KUBECONFIG=%s
  alias kubectl=%s

Stop it with: %s
`, name, how, info.Version, info.Server, info.Kubeconfig, info.Kubectl, downCommand(name))
	return err
}

// downCommand is what stops a cluster, as this command was called.
func downCommand(name string) string {
	command := os.Args[0] + " cluster down"
	if name != defaultCluster {
		command += " --name " + name
	}
	return command
}

func newDownCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop a cluster and forget all that is in it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := cluster.Down(cmd.Context(), name)
			if err != nil {
				return err
			}
			if found.Phase == cluster.Dead {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Cluster %q had died; removed what it left.\n", name)
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(),
				"Cluster %q stopped: kube-controller-manager, kube-apiserver and etcd.\n", name)
			return err
		},
	}
	addNameFlag(cmd, &name)
	return cmd
}

func newStatusCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the clusters",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			print, ok := clusterPrinters[output]
			if !ok {
				return fmt.Errorf("-o must be table, json or yaml, but is %q", output)
			}
			clusters, err := cluster.List()
			if err != nil {
				return err
			}
			return print(cmd.OutOrStdout(), clusters)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "output format: table, json or yaml")
	return cmd
}

var clusterPrinters = map[string]func(io.Writer, []cluster.Info) error{
	"table": printClusterTable,
	"json": func(out io.Writer, clusters []cluster.Info) error {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(clusters)
	},
	"yaml": func(out io.Writer, clusters []cluster.Info) error {
		content, err := yaml.Marshal(clusters)
		if err != nil {
			return err
		}
		_, err = out.Write(content)
		return err
	},
}

func printClusterTable(out io.Writer, clusters []cluster.Info) error {
	if len(clusters) == 0 {
		_, err := fmt.Fprintln(out, "No clusters. Start one with: twinloop cluster up")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATUS\tVERSION\tSERVER\tAGE")
	for _, c := range clusters {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", c.Name, c.Phase, c.Version, c.Server, age(c.Started))
	}
	return table.Flush()
}

func age(started time.Time) string {
	if started.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Since(started))
}

func newKubeconfigCommand() *cobra.Command {
	var name string
	var raw bool
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of a cluster's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, err := cluster.Get(name)
			if err != nil {
				return err
			}
			if info.Phase != cluster.Running {
				return fmt.Errorf("cluster %q is not running (%s)", name, info.Phase)
			}
			if !raw {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), info.Kubeconfig)
				return err
			}
			content, err := os.ReadFile(info.Kubeconfig)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(content)
			return err
		},
	}
	addNameFlag(cmd, &name)
	cmd.Flags().BoolVar(&raw, "raw", false, "print its content instead")
	return cmd
}

// newServeCommand is the supervisor that `cluster up` leaves behind.
func newServeCommand() *cobra.Command {
	var name string
	var settings cluster.Settings
	cmd := &cobra.Command{
		Use:    "serve",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings.CRDs = []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()}
			return cluster.Supervise(cmd.Context(), name, settings)
		},
	}
	addNameFlag(cmd, &name)
	addReadyAfterFlag(cmd, &settings.ReadyAfter)
	return cmd
}

func addNameFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "name", defaultCluster, "name of the cluster")
}

func addReadyAfterFlag(cmd *cobra.Command, delay *time.Duration) {
	cmd.Flags().DurationVar(delay, "ready-after", time.Second, "how long a pod runs before it is ready")
}
