#!/usr/bin/env bash
# Regenerates everything that is derived from shared/api/fleet/v1alpha1: deepcopy functions, clientset, listers,
# informers, apply configurations (code-generator) and the CRD (controller-gen); and the role that the markers of the
# kubebuilder operator come to. With the versions go.mod pins.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tools=$PWD/bin/codegen
GOBIN=$tools go -C tools/codegen install tool ./amendcrd

module=example.com/twinloop
api=$module/shared/api/fleet/v1alpha1
out=shared/api/generated
header=tools/codegen/header.go.txt

"$tools/deepcopy-gen" --go-header-file "$header" --output-file zz_generated.deepcopy.go "./shared/api/fleet/v1alpha1"

rm -rf "$out"
"$tools/applyconfiguration-gen" --go-header-file "$header" --output-dir "$out/applyconfiguration" \
  --output-pkg "$module/$out/applyconfiguration" "$api"
"$tools/client-gen" --go-header-file "$header" --output-dir "$out/clientset" --output-pkg "$module/$out/clientset" \
  --clientset-name versioned --input-base "" --input "$api" \
  --apply-configuration-package "$module/$out/applyconfiguration" --fake-clientset=false
"$tools/lister-gen" --go-header-file "$header" --output-dir "$out/listers" --output-pkg "$module/$out/listers" "$api"
"$tools/informer-gen" --go-header-file "$header" --output-dir "$out/informers" --output-pkg "$module/$out/informers" \
  --versioned-clientset-package "$module/$out/clientset/versioned" --listers-package "$module/$out/listers" \
  "$api"

"$tools/controller-gen" crd:generateEmbeddedObjectMeta=true paths=./shared/api/fleet/... output:crd:dir=shared/api/crd
"$tools/amendcrd" shared/api/crd/fleet.twinloop.example.com_fleets.yaml

"$tools/controller-gen" rbac:roleName=manager-role paths=./kubebuilder/... output:rbac:dir=kubebuilder/config/rbac
