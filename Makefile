# Everything is built from source with the Go toolchain; programs land in bin/.

GO ?= go
export GOBIN := $(CURDIR)/bin
# Debian keeps named where only root looks.
export PATH := $(PATH):/usr/sbin

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show what there is to make.
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Use

.PHONY: build
build: ## Build bin/twinloop, bin/handwired and bin/kubebuilder.
	$(GO) build -o bin/ ./cmd/twinloop ./handwired
	$(GO) build -o bin/kubebuilder ./kubebuilder/cmd

.PHONY: controlplane
controlplane: build ## Build etcd, kube-apiserver, kube-controller-manager and kubectl, once for each version.
	bin/twinloop cluster build

.PHONY: drill
drill: controlplane ## Kill both operators before and after every write they make; the pages are bin/drill-crash-*.html.
	bin/twinloop drill crash --operator handwired,kubebuilder --html bin/drill.html

.PHONY: compare
compare: controlplane ## Measure both operators, and write the table that README.md and docs/diff.md show.
	bin/twinloop bench -o markdown > bin/comparison.md
	mv bin/comparison.md docs/comparison.md
	bin/twinloop diff
	cat docs/comparison.md

.PHONY: rollouts
rollouts: ## Build Argo Rollouts' controller, an operator nobody here wrote, to be drilled with tools/argorollouts/drill.yaml.
	$(GO) -C tools/argorollouts install tool
	rm -rf bin/rollouts-manifests
	cp -R "$$($(GO) -C tools/argorollouts list -m -f '{{.Dir}}' github.com/argoproj/argo-rollouts)/manifests" bin/rollouts-manifests
	chmod -R u+w bin/rollouts-manifests

.PHONY: drill-rollouts
drill-rollouts: controlplane rollouts ## Hold quiet, crash and errors with Argo Rollouts' controller (15 minutes); the pages are bin/rollouts-*.html.
	bin/twinloop drill quiet --config tools/argorollouts/drill.yaml --html bin/rollouts-quiet.html
	bin/twinloop drill crash --config tools/argorollouts/drill.yaml --html bin/rollouts-crash.html
	bin/twinloop drill errors --config tools/argorollouts/drill.yaml --html bin/rollouts-errors.html

.PHONY: deployments
deployments: controlplane ## Link Kubernetes' own Deployment controller, to be drilled with tools/deploymentcontroller/drill.yaml.
	ln -sf "$$(bin/twinloop cluster build)/kube-controller-manager" bin/

.PHONY: drill-deployments
drill-deployments: deployments ## Run quiet, crash and errors with it, the last two of which find something; the pages are bin/deployments-*.html.
	bin/twinloop drill quiet --config tools/deploymentcontroller/drill.yaml --html bin/deployments-quiet.html
	-bin/twinloop drill crash --config tools/deploymentcontroller/drill.yaml --html bin/deployments-crash.html
	-bin/twinloop drill errors --config tools/deploymentcontroller/drill.yaml --html bin/deployments-errors.html

##@ Develop

.PHONY: test
test: deps controlplane lint generated cross ## Run every check and every test, on a real API server and a real BIND.
	$(GO) test -race -timeout 45m ./...

.PHONY: deps
deps: ## Install what the tests need of Debian's packages, where apt-get is there and may.
	tools/test-deps.sh

.PHONY: lint
lint: build ## Check formatting, vet, staticcheck and citations.
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not gofmt'ed: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) -C tools/lint install tool
	bin/staticcheck ./...
	bin/twinloop cite --check

.PHONY: generate
generate: ## Regenerate the code and the manifest that derive from shared/api/fleet.
	tools/codegen/generate.sh

.PHONY: generated
generated: generate ## Fail if generated files differ from what is committed.
	@git diff --exit-code --stat -- shared/api kubebuilder/config/rbac || { echo "run 'make generate' and commit the result"; exit 1; }
	@test -z "$$(git ls-files --others --exclude-standard -- shared/api kubebuilder/config/rbac)" || { echo "commit the new files"; exit 1; }

.PHONY: cross
cross: ## Check that everything compiles for a Mac.
	GOOS=darwin GOARCH=arm64 $(GO) build ./...

.PHONY: labs
labs: ## Run every lab's experiment, and hold what it measures against its page.
	$(GO) test -count=1 ./labs ./labs/[0-9]*/

.PHONY: clean
clean: ## Remove bin/. The control plane's cache stays; bin/twinloop cluster build says where it is.
	rm -rf bin
