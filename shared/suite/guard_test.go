package suite

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// A guard is an admission webhook that sees every write of the operator in a world before it is carried out, those
// that a quota is going to refuse included, and can make one wait.
type guard struct {
	mu     sync.Mutex
	writes []*admissionv1.AdmissionRequest
	holds  []*hold
	// changed rings with every write.
	changed *bell
}

// A hold makes the first write of a kind wait until it is released.
type hold struct {
	kind    writeKind
	taken   bool          // by a write
	arrived chan struct{} // closed when it waits
	free    context.Context
	release context.CancelFunc
}

// A writeKind is what a write does to which resource, such as "CREATE pods" or "UPDATE fleets/status".
type writeKind string

const (
	createPods      writeKind = "CREATE pods"
	createRevisions writeKind = "CREATE controllerrevisions"
	deletePods      writeKind = "DELETE pods"
	deleteRevisions writeKind = "DELETE controllerrevisions"
	updateStatus    writeKind = "UPDATE fleets/status"
)

func kindOf(write *admissionv1.AdmissionRequest) writeKind {
	resource := write.Resource.Resource
	if write.SubResource != "" {
		resource += "/" + write.SubResource
	}
	return writeKind(string(write.Operation) + " " + resource)
}

// guard puts a guard in front of the operator. It returns when the API server asks it.
func (w *world) guard() *guard {
	w.Helper()
	g := &guard{changed: w.record.changed}
	server := httptest.NewUnstartedServer(g)
	server.StartTLS()
	w.Cleanup(server.Close)
	configurations := w.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := configurations.Create(w.Context(), w.webhook(server), metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		g.releaseAll()
		_ = configurations.Delete(context.WithoutCancel(w.Context()), w.namespace, metav1.DeleteOptions{})
	})
	w.awaitGuard(g)
	return g
}

func (w *world) account() string {
	account := w.subject.identity.Account
	return fmt.Sprintf("system:serviceaccount:%s:%s", account.Namespace, account.Name)
}

func (w *world) webhook(server *httptest.Server) *admissionregistrationv1.ValidatingWebhookConfiguration {
	everything := admissionregistrationv1.Rule{
		APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*/*"}}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	client := admissionregistrationv1.WebhookClientConfig{URL: &server.URL, CABundle: certificate}
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: w.namespace},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name:                    "guard.suite.example.com",
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             ptr.To(admissionregistrationv1.SideEffectClassNone),
			FailurePolicy:           ptr.To(admissionregistrationv1.Fail),
			TimeoutSeconds:          ptr.To(int32(30)),
			ClientConfig:            client,
			NamespaceSelector:       metav1.SetAsLabelSelector(labels.Set{corev1.LabelMetadataName: w.namespace}),
			MatchConditions: []admissionregistrationv1.MatchCondition{{
				Name:       "operator",
				Expression: fmt.Sprintf("request.userInfo.username == %q", w.account()),
			}},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
				Rule:       everything,
			}},
		}},
	}
}

// awaitGuard tries writes that change nothing, in the operator's name, until the guard is asked about one. Nothing else
// tells when a webhook has come into force.
func (w *world) awaitGuard(g *guard) {
	w.Helper()
	config := rest.CopyConfig(cp.AdminConfig())
	config.Impersonate.UserName = w.account()
	asOperator, err := kubernetes.NewForConfig(config)
	if err != nil {
		w.Fatal(err)
	}
	asked := func(ctx context.Context) (bool, error) {
		dryRun := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		_, _ = asOperator.CoreV1().Pods(w.namespace).Create(ctx, orphan("probe", "none"), dryRun)
		return len(g.all()) > 0, nil
	}
	if err := wait.PollUntilContextTimeout(w.Context(), 100*time.Millisecond, patience, true, asked); err != nil {
		w.Fatalf("the guard is never asked: %v", err)
	}
	g.forget()
}

// ServeHTTP lets every write through, sooner or later.
func (g *guard) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(response, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	g.see(review.Request)
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	_ = json.NewEncoder(response).Encode(review)
}

// see notes a write, and returns when it may go on.
func (g *guard) see(write *admissionv1.AdmissionRequest) {
	g.mu.Lock()
	g.writes = append(g.writes, write)
	i := slices.IndexFunc(g.holds, func(h *hold) bool { return !h.taken && h.kind == kindOf(write) })
	var h *hold
	if i >= 0 {
		h = g.holds[i]
		h.taken = true
	}
	g.mu.Unlock()
	g.changed.ring()
	if h != nil {
		close(h.arrived)
		<-h.free.Done()
	}
}

// hold makes the next write of a kind wait until it is released.
func (g *guard) hold(kind writeKind) *hold {
	h := &hold{kind: kind, arrived: make(chan struct{})}
	h.free, h.release = context.WithCancel(context.Background())
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holds = append(g.holds, h)
	return h
}

func (g *guard) releaseAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, h := range g.holds {
		h.release()
	}
}

// awaitHold waits until a write is held.
func (w *world) awaitHold(h *hold) {
	w.Helper()
	select {
	case <-h.arrived:
	case <-time.After(patience):
		w.Fatalf("no %s after %s", h.kind, patience)
	}
}

// all are the writes so far, of the kinds asked for or else of every kind, in the order in which they came.
func (g *guard) all(kinds ...writeKind) []*admissionv1.AdmissionRequest {
	g.mu.Lock()
	defer g.mu.Unlock()
	var writes []*admissionv1.AdmissionRequest
	for _, write := range g.writes {
		if len(kinds) == 0 || slices.Contains(kinds, kindOf(write)) {
			writes = append(writes, write)
		}
	}
	return writes
}

func (g *guard) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes = nil
}
