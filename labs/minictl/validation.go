package minictl

import (
	"fmt"
	"math"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// defaultDeadline is progressDeadlineSeconds where it is not given.
const defaultDeadline = 600

// anyPercent bounds no percentage.
const anyPercent = math.MaxInt

// setDefaults fills in what a client may leave out, with the values of k8s.io/kubernetes pkg/apis/apps/v1/defaults.go.
func setDefaults(object Object) {
	switch object := object.(type) {
	case *corev1.Pod:
		setDefault(&object.Status.Phase, corev1.PodPending)
	case *appsv1.ReplicaSet:
		setDefault(&object.Spec.Replicas, ptr.To[int32](1))
	case *appsv1.Deployment:
		spec := &object.Spec
		setDefault(&spec.Replicas, ptr.To[int32](1))
		setDefault(&spec.RevisionHistoryLimit, ptr.To[int32](10))
		setDefault(&spec.ProgressDeadlineSeconds, ptr.To[int32](defaultDeadline))
		setDefault(&spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
		if spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
			setDefault(&spec.Strategy.RollingUpdate, &appsv1.RollingUpdateDeployment{})
			setDefault(&spec.Strategy.RollingUpdate.MaxSurge, ptr.To(intstr.FromString("25%")))
			setDefault(&spec.Strategy.RollingUpdate.MaxUnavailable, ptr.To(intstr.FromString("25%")))
		}
	}
}

func setDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

// validate refuses with Invalid (422) what a controller could not act on.
func validate(object Object) error {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	switch object := object.(type) {
	case *appsv1.ReplicaSet:
		errs = validatePods(*object.Spec.Replicas, object.Spec.Selector, object.Spec.Template.Labels, spec)
	case *appsv1.Deployment:
		errs = append(validatePods(*object.Spec.Replicas, object.Spec.Selector, object.Spec.Template.Labels, spec),
			validateStrategy(object.Spec.Strategy, spec.Child("strategy"))...)
		if deadline := *object.Spec.ProgressDeadlineSeconds; deadline <= object.Spec.MinReadySeconds {
			errs = append(errs, field.Invalid(spec.Child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds"))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(kindOf(object).GroupKind(), object.GetName(), errs)
}

// validatePods refuses, among others, a selector that misses its own template: a controller would create pods that it
// cannot count, and so create them forever.
func validatePods(replicas int32, selector *metav1.LabelSelector, template map[string]string, spec *field.Path) field.ErrorList {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	switch {
	case replicas < 0:
		return field.ErrorList{field.Invalid(spec.Child("replicas"), replicas, "must be greater than or equal to 0")}
	case err != nil:
		return field.ErrorList{field.Invalid(spec.Child("selector"), selector, err.Error())}
	case selector == nil || parsed.Empty():
		return field.ErrorList{field.Required(spec.Child("selector"), "an empty selector would select every pod")}
	case !parsed.Matches(labels.Set(template)):
		path := spec.Child("template", "metadata", "labels")
		return field.ErrorList{field.Invalid(path, template, "`selector` does not match template `labels`")}
	}
	return nil
}

func validateStrategy(strategy appsv1.DeploymentStrategy, path *field.Path) field.ErrorList {
	rolling := strategy.RollingUpdate
	switch strategy.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if rolling != nil {
			return field.ErrorList{field.Forbidden(path.Child("rollingUpdate"),
				"may not be set when strategy `type` is 'Recreate'")}
		}
	case appsv1.RollingUpdateDeploymentStrategyType:
		path = path.Child("rollingUpdate")
		surge, errs := validateBound(rolling.MaxSurge, anyPercent, path.Child("maxSurge"))
		unavailable, more := validateBound(rolling.MaxUnavailable, 100, path.Child("maxUnavailable"))
		if errs = append(errs, more...); len(errs) == 0 && surge == 0 && unavailable == 0 {
			errs = field.ErrorList{field.Invalid(path.Child("maxUnavailable"), rolling.MaxUnavailable.String(),
				"may not be 0 when `maxSurge` is 0")}
		}
		return errs
	default:
		return field.ErrorList{field.NotSupported(path.Child("type"), strategy.Type, []appsv1.DeploymentStrategyType{
			appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType})}
	}
	return nil
}

func validateBound(bound *intstr.IntOrString, mostPercent int, path *field.Path) (int, field.ErrorList) {
	// Scaled to one hundred, a percentage is itself.
	value, err := intstr.GetScaledValueFromIntOrPercent(bound, 100, true)
	switch {
	case err != nil:
		return 0, field.ErrorList{field.Invalid(path, bound.String(), "must be a number or a percentage, such as 1 or 25%")}
	case value < 0:
		return 0, field.ErrorList{field.Invalid(path, bound.String(), "must not be negative")}
	case bound.Type == intstr.String && value > mostPercent:
		return 0, field.ErrorList{field.Invalid(path, bound.String(), fmt.Sprintf("must not be greater than %d%%", mostPercent))}
	}
	return value, nil
}
