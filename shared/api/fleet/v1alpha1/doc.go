// Package v1alpha1 is the Fleet API: N interchangeable pods of one template, rolled within bounds, their
// addresses published as DNS records in a zone outside the cluster.
//
// +k8s:deepcopy-gen=package
// +kubebuilder:object:generate=true
// +groupName=fleet.twinloop.example.com
// +groupGoName=Fleet
package v1alpha1
