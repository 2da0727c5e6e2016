package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// DNSFinalizer holds a Fleet until the last of its DNS records is gone: it is added before the first record is
// written and removed after the last one has been withdrawn.
const DNSFinalizer = GroupName + "/dns"

// DNSZoneAnnotation names the zone that may hold records of a Fleet. It is written together with DNSFinalizer, so that
// the records can still be found when spec.dns has changed or is gone.
const DNSZoneAnnotation = GroupName + "/dns-zone"

// Fleet keeps a number of interchangeable pods of one template running, rolls changes of the template within
// bounds, and can publish the addresses of its ready pods in a DNS zone outside the cluster.
//
// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=fl,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`,description="Pods wanted."
// +kubebuilder:printcolumn:name="Updated",type=integer,JSONPath=`.status.updatedReplicas`,description="Pods of the wanted template."
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`,description="Pods whose Ready condition is True."
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.availableReplicas`,description="Pods ready for at least minReadySeconds."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Images",type=string,priority=1,JSONPath=`.spec.template.spec.containers[*].image`,description="Image of the template's containers; of several, the first."
// +kubebuilder:printcolumn:name="Selector",type=string,priority=1,JSONPath=`.status.selector`,description="Label query for the pods."
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 242",message="metadata.name must be at most 242 characters long: ControllerRevisions and pods are named after the Fleet and a hash"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.dns) || self.metadata.name.split('.').all(label, label.size() <= 63)",message="metadata.name: with spec.dns set, every dot-separated label must be at most 63 characters long, since the name becomes part of a domain name (RFC 1035, 2.3.4)"
type Fleet struct {
	metav1.TypeMeta `json:",inline"`
	// Standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +required
	Spec FleetSpec `json:"spec"`
	// What was last observed. Written by the operator only. Until it has, observedGeneration is -1, so that clients that
	// compare generations (kstatus) do not take a Fleet for current that nobody has looked at.
	// +kubebuilder:default={"observedGeneration":-1}
	// +optional
	Status FleetStatus `json:"status,omitempty"`
}

// FleetList is a list of Fleets.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type FleetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Fleet `json:"items"`
}

// FleetSpec is what is wanted of a Fleet.
//
// +kubebuilder:validation:XValidation:rule="!has(self.selector.matchLabels) || self.selector.matchLabels.all(key, has(self.template.metadata) && has(self.template.metadata.labels) && key in self.template.metadata.labels && self.template.metadata.labels[key] == self.selector.matchLabels[key])",message="spec.template.metadata.labels must carry every label of spec.selector.matchLabels, or the Fleet could never count the pods it creates",fieldPath=".template"
// +kubebuilder:validation:XValidation:rule="!has(self.selector.matchExpressions) || self.selector.matchExpressions.all(e, has(self.template.metadata) && has(self.template.metadata.labels) && e.key in self.template.metadata.labels ? e.operator == 'Exists' || (e.operator == 'In' && has(e.values) && self.template.metadata.labels[e.key] in e.values) || (e.operator == 'NotIn' && !(has(e.values) && self.template.metadata.labels[e.key] in e.values)) : e.operator in ['NotIn', 'DoesNotExist'])",message="spec.template.metadata.labels must satisfy every requirement of spec.selector.matchExpressions, or the Fleet could never count the pods it creates",fieldPath=".template"
type FleetSpec struct {
	// Number of pods wanted. Defaults to 1.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`

	// Label query for the pods that belong to the Fleet. It must match the labels of the template and cannot be
	// changed. A pod that matches and has no controller is adopted; an owned pod that stops matching is released
	// and left running.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="spec.selector is immutable; create another Fleet to select other pods"
	// +kubebuilder:validation:XValidation:rule="(has(self.matchLabels) && self.matchLabels.size() > 0) || (has(self.matchExpressions) && self.matchExpressions.size() > 0)",message="spec.selector must not be empty: an empty selector would match every pod of the namespace"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (has(e.values) && e.values.size() > 0) == (e.operator in ['In', 'NotIn']))",message="spec.selector.matchExpressions: In and NotIn need values, Exists and DoesNotExist take none",fieldPath=".matchExpressions"
	// +required
	Selector *metav1.LabelSelector `json:"selector"`

	// The pod that is wanted, N times. Any change of it makes a new revision and rolls the Fleet.
	// +required
	Template corev1.PodTemplateSpec `json:"template"`

	// How pods of an old template are replaced by pods of a new one. Defaults to RollingUpdate.
	// +kubebuilder:default={type: RollingUpdate}
	// +optional
	Strategy FleetStrategy `json:"strategy,omitempty"`

	// Seconds a pod must have been ready, with none of its containers restarting, to count as available.
	// Defaults to 0: a pod is available as soon as it is ready.
	// +kubebuilder:default=0
	// +kubebuilder:validation:Minimum=0
	// +optional
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`

	// Seconds a roll may go without progress before the Progressing condition turns False with the reason
	// ProgressDeadlineExceeded. The roll itself goes on. Time spent paused does not count. Defaults to 600.
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +optional
	ProgressDeadlineSeconds *int32 `json:"progressDeadlineSeconds,omitempty"`

	// Number of old revisions kept to return to. Defaults to 10.
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +optional
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty"`

	// While true, a changed template is not rolled out. Scaling and healing go on, with the templates in use.
	// Defaults to false.
	// +kubebuilder:default=false
	// +optional
	Paused bool `json:"paused,omitempty"`

	// Publish the addresses of ready pods in a DNS zone. Removing this withdraws them.
	// +optional
	DNS *FleetDNS `json:"dns,omitempty"`
}

// StrategyType names a way to replace pods.
//
// +kubebuilder:validation:Enum=RollingUpdate;Recreate
type StrategyType string

const (
	// RollingUpdateStrategy replaces pods a few at a time, within maxSurge and maxUnavailable.
	RollingUpdateStrategy StrategyType = "RollingUpdate"
	// RecreateStrategy removes every old pod before it creates the first new one.
	RecreateStrategy StrategyType = "Recreate"
)

// FleetStrategy is how pods of an old template are replaced.
//
// +kubebuilder:validation:XValidation:rule="!has(self.rollingUpdate) || self.type == 'RollingUpdate'",message="spec.strategy.rollingUpdate may be set only when spec.strategy.type is RollingUpdate"
type FleetStrategy struct {
	// RollingUpdate replaces pods a few at a time; Recreate removes all old pods first. Defaults to RollingUpdate.
	// +kubebuilder:default=RollingUpdate
	// +optional
	Type StrategyType `json:"type,omitempty"`

	// Bounds of a rolling update. Only with type RollingUpdate. Defaults to 25% for each.
	// +optional
	RollingUpdate *FleetRollingUpdate `json:"rollingUpdate,omitempty"`
}

// FleetRollingUpdate bounds a rolling update. When both bounds come out as zero, one pod may be unavailable, since
// the roll could not move otherwise.
type FleetRollingUpdate struct {
	// Pods that may exist above spec.replicas during a roll: a number, or a percentage of spec.replicas rounded up.
	// Defaults to 25%. When it and maxUnavailable both come out as zero, one pod may be unavailable.
	// +kubebuilder:default="25%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 : self.matches('^[0-9]{1,3}%$')",message="maxSurge must be a number of pods, 0 or more, or a percentage such as \"25%\""
	// +optional
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`

	// Pods that may be unavailable during a roll: a number, or a percentage of spec.replicas rounded down.
	// Defaults to 25%. When it and maxSurge both come out as zero, one pod may be unavailable.
	// +kubebuilder:default="25%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=4
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 : self.matches('^([0-9]{1,2}|100)%$')",message="maxUnavailable must be a number of pods, 0 or more, or a percentage from \"0%\" to \"100%\""
	// +optional
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
}

// FleetDNS says where the addresses of ready pods are published: as A and AAAA records of the name
// <fleet>.<namespace>.<zone>, beside a TXT record that names the Fleet's uid as the owner of the name.
type FleetDNS struct {
	// The zone, a domain name such as "fleet.example.com" (a final dot is allowed).
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.])*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?[.]?$')",message="zone must be a domain name in lower case, such as \"fleet.example.com\""
	// +required
	Zone string `json:"zone"`

	// Time to live of the records, in seconds. Defaults to 30.
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	// +optional
	TTL *int32 `json:"ttl,omitempty"`
}

// FleetStatus is what was last observed of a Fleet.
type FleetStatus struct {
	// The metadata.generation this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Live pods: owned by the Fleet, not terminating, not finished.
	// +optional
	Replicas int32 `json:"replicas"`

	// Live pods of the wanted template; while paused, of that one and not of the one in use.
	// +optional
	UpdatedReplicas int32 `json:"updatedReplicas"`

	// Live pods whose Ready condition is True.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// Live pods that have been ready for at least spec.minReadySeconds.
	// +optional
	AvailableReplicas int32 `json:"availableReplicas"`

	// Name of the ControllerRevision that was last rolled out completely.
	// +optional
	CurrentRevision string `json:"currentRevision,omitempty"`

	// Name of the ControllerRevision that is being rolled out. Equal to currentRevision when nothing is.
	// +optional
	UpdateRevision string `json:"updateRevision,omitempty"`

	// Number of times the hash of a template collided with that of another one.
	// +optional
	CollisionCount *int32 `json:"collisionCount,omitempty"`

	// When the current roll last moved forward: a pod of the new template created, ready or available, or an old
	// one gone. spec.progressDeadlineSeconds counts from here.
	// +optional
	LastProgressTime *metav1.Time `json:"lastProgressTime,omitempty"`

	// spec.selector in its text form, for the scale subresource.
	// +optional
	Selector string `json:"selector,omitempty"`

	// Conditions: Available, Progressing, Published, ReplicaFailure, SelectorOverlap, Reconciling, Stalled.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Types of the conditions of a Fleet. Reconciling and Stalled are the "abnormal-true" conditions of kstatus
// (sigs.k8s.io/cli-utils, pkg/kstatus): present only while they are True. So are ReplicaFailure and SelectorOverlap.
const (
	// ConditionAvailable is True while at least spec.replicas - maxUnavailable pods are available.
	ConditionAvailable = "Available"
	// ConditionProgressing is True while a roll moves or is complete, False once it has missed its deadline or when the
	// wanted template can have no revision, Unknown while paused; as for a Deployment.
	ConditionProgressing = "Progressing"
	// ConditionPublished is True when DNS holds exactly the addresses of the ready pods. Absent without spec.dns.
	ConditionPublished = "Published"
	// ConditionReplicaFailure is True when a pod could not be created or deleted, for example for a quota.
	ConditionReplicaFailure = "ReplicaFailure"
	// ConditionSelectorOverlap is True when another Fleet of the namespace selects this Fleet's pods, or the reverse.
	ConditionSelectorOverlap = "SelectorOverlap"
	// ConditionReconciling is True while the Fleet is on its way to what is wanted.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when the Fleet will not get there without help.
	ConditionStalled = "Stalled"
)

// Reasons of conditions, each of the condition it is listed under.
const (
	// Available.
	ReasonMinimumAvailable   = "MinimumReplicasAvailable"
	ReasonMinimumUnavailable = "MinimumReplicasUnavailable"

	// Progressing.
	ReasonRollingOut               = "RollingOut"
	ReasonRolledOut                = "RolledOut"
	ReasonPaused                   = "Paused"
	ReasonProgressDeadlineExceeded = "ProgressDeadlineExceeded"
	ReasonFailedCreateRevision     = "FailedCreateRevision"

	// Published.
	ReasonPublished         = "Published"
	ReasonNameTaken         = "NameTaken"
	ReasonServerUnreachable = "ServerUnreachable"
	ReasonServerRefused     = "ServerRefused"
	ReasonPublishFailed     = "PublishFailed"
	ReasonNoServer          = "NoServer"
	ReasonUnknownZone       = "UnknownZone"
	ReasonWithdrawn         = "Withdrawn"

	// ReplicaFailure.
	ReasonFailedCreate = "FailedCreate"
	ReasonFailedDelete = "FailedDelete"

	// SelectorOverlap.
	ReasonOverlap = "Overlap"

	// Stalled.
	ReasonInvalidSelector = "InvalidSelector"
	ReasonInvalidName     = "InvalidName"
)
