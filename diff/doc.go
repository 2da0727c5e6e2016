// Package diff writes docs/diff.md: what kubebuilder scaffolds beside what was written by hand for the same operator.
//
// What can be counted is counted: the scaffold is made anew in a temporary folder and held against kubebuilder/, and every
// line that is cited is looked up. What must be judged is in judgements.yaml, and the prose in diff.md.tmpl. A document
// that is not what these three make of the checkout is out of date, and Check says where.
package diff
