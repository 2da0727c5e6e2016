package operator

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// checkReachable refuses an object that has the API server ask a Service: in the cluster of a drill no pod answers.
func checkReachable(o Object) error {
	kind := o.GroupVersionKind().GroupKind().String()
	switch kind {
	case "ValidatingWebhookConfiguration.admissionregistration.k8s.io", "MutatingWebhookConfiguration.admissionregistration.k8s.io":
		webhooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
		for i, webhook := range webhooks {
			fields, _ := webhook.(map[string]any)
			if service := serviceIn(fields, "clientConfig", "service"); service != "" {
				return o.errorf("webhooks[%d] leads to the Service %s, where nothing answers in a drill: give its clientConfig a url, or %s",
					i, service, leavingOut(o))
			}
		}
	case "APIService.apiregistration.k8s.io":
		if service := serviceIn(o.Object, "spec", "service"); service != "" {
			return o.errorf("it leads to the Service %s, where nothing answers in a drill: %s", service, leavingOut(o))
		}
	case definitionKind.String():
		for _, path := range []string{"spec.conversion.webhook.clientConfig.service", "spec.conversion.webhookClientConfig.service"} {
			if service := serviceIn(o.Object, strings.Split(path, ".")...); service != "" {
				return o.errorf("its conversion leads to the Service %s, where nothing answers in a drill: use a definition whose "+
					"spec.conversion is left out and that serves the version the operator works with", service)
			}
		}
	}
	return nil
}

// serviceIn returns the Service that is named at a path, or nothing.
func serviceIn(object map[string]any, path ...string) string {
	service, _, _ := unstructured.NestedMap(object, path...)
	if len(service) == 0 {
		return ""
	}
	return fmt.Sprintf("%v/%v", service["namespace"], service["name"])
}

// leavingOut says how an object is left out.
func leavingOut(o Object) string { return fmt.Sprintf("leave it out by operator.leaveOut: [%s]", o) }
