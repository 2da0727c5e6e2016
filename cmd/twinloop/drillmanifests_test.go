package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const manifestsInAList = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: controller, namespace: system}}
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: injector, namespace: system}}
- apiVersion: rbac.authorization.k8s.io/v1beta1
  kind: Role
  metadata: {name: controller, namespace: system}
  rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]
- apiVersion: rbac.authorization.k8s.io/v1beta1
  kind: RoleBinding
  metadata: {name: controller, namespace: system}
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller}
  subjects: [{kind: ServiceAccount, name: controller}]
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: controller, namespace: system}
  spec: {template: {spec: {serviceAccountName: controller}}}
- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/none, allowVolumeExpansion: true}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
- {apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: controller}}
`

// TestDrillOfManifests has an operator that prints what it may do, and a scenario that needs what its manifests hold.
func TestDrillOfManifests(t *testing.T) {
	i := newInstallation(t)
	kubectl := strings.TrimSpace(i.mustSay(t, "kubectl", "cluster", "kubectl"))
	folder := t.TempDir()
	manifestFile(t, folder, "manifests.yaml", manifestsInAList)
	drillOf := func(leaveOut string) string {
		return manifestFile(t, folder, "drill.yaml", `
name: manifests
operator:
  name: onlooker
  command: [/bin/sh, -c, "`+kubectl+` get configmaps || exit; exec sleep 1000", sh, "{{kubeconfig}}", "{{namespace}}"]
  manifests: [manifests.yaml]
  leaveOut: `+leaveOut+`
observe: [persistentvolumeclaims]
silence: 1s
scenario:
- name: claim
  apply:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: data}
    spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  await: persistentvolumeclaims.size() == 1 && requests.exists(r, r.resource == 'configmaps' && r.status == 200)
- name: bind
  patch: {resource: persistentvolumeclaims, object: data, subresource: status, with: {status: {phase: Bound, capacity: {storage: 1Gi}}}}
  await: persistentvolumeclaims[0].status.phase == 'Bound'
- name: grow
  patch: {resource: persistentvolumeclaims, object: data, with: {spec: {resources: {requests: {storage: 2Gi}}}}}
  await: persistentvolumeclaims[0].spec.resources.requests.storage == '2Gi'
`)
	}
	i.mustFail(t, exitCannotRun, "operator.leaveOut[0]: operator.manifests hold no Job/none", "drill", drillOf("[Job/none]"))
	output, status := i.run("drill", drillOf("[]"))
	if want := "ServiceMonitor/controller: the API server does not serve ServiceMonitor"; status != exitCannotRun || !strings.Contains(output, want) {
		t.Errorf("status %d, want %d and %q:\n%s", status, exitCannotRun, want, output)
	}
	cmd := i.command("drill", drillOf("[ServiceMonitor/controller]"), "-o", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, printed, stderr.String())
	}
	for _, want := range []string{
		"onlooker: left out Deployment/controller: the drill starts operator.command in place of workloads\n",
		"onlooker runs as ServiceAccount system/controller\n",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("there is no %q in\n%s", want, stderr.String())
		}
	}
	var report struct{ Summary struct{ Identity string } }
	if err := json.Unmarshal(printed, &report); err != nil || report.Summary.Identity != "ServiceAccount system/controller" {
		t.Errorf("identity %q, %v", report.Summary.Identity, err)
	}
	i.requireNothingLeft(t)
}

// TestDrillInitOfAnOlderDefinition takes it for what the drill will make of it.
func TestDrillInitOfAnOlderDefinition(t *testing.T) {
	folder := t.TempDir()
	crd := manifestFile(t, folder, "crd.yaml", `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  scope: Namespaced
  subresources: {status: {}}
  validation: {openAPIV3Schema: {type: object}}
  version: v1
`)
	sample := manifestFile(t, folder, "thing.yaml", "{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, spec: {replicas: 1}}")
	var written strings.Builder
	if err := (drillInitOptions{crd: crd, sample: sample}).run(&written, t.Output()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(written.String(), "\n- things.example.com\n") {
		t.Errorf("written:\n%s", written.String())
	}
}

func manifestFile(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
