package twoedits

import (
	"context"
	"fmt"
)

// edit is something that a person does behind the operator's back.
type edit struct {
	name, says string
	// what is edited: the name of a field, or of what is counted.
	what string
	// do makes the edit of a pod, or of something else.
	do func(ctx context.Context, b *bed, pod string) error
	// look reads what was edited. It reads want if the edit is there as it was made.
	look func(ctx context.Context, b *bed, pod string) (string, error)
	want string
}

// fate makes an edit, and tells what becomes of it.
//
// The operator is watched until it has nothing left to do. If the edit is not there any more then, it was stomped; if it is,
// and the operator wrote something on its account, it was honoured. Otherwise the operator may not have noticed, and is made to
// look again.
func (b *bed) fate(ctx context.Context, e edit) (string, error) {
	b.Say("\n%s", e.says)
	pod, err := b.anyPod(ctx)
	if err != nil {
		return "", err
	}
	b.cluster.Proxy.Mark(e.name)
	if err := e.do(ctx, b, pod); err != nil {
		return "", fmt.Errorf("%s: %w", e.name, err)
	}
	there, err := b.isThere(ctx, e, pod, "after the edit")
	if err != nil {
		return "", err
	}
	answer := b.cluster.Writes(e.name)
	for _, write := range answer {
		b.Say("  the operator wrote: %s %s", write.Place.Kind, write.Name)
	}
	switch {
	case !there:
		return stompedAtOnce, nil
	case len(answer) > 0:
		return honoured, nil
	}
	b.cluster.Proxy.Mark(e.name + ", again")
	if err := b.wake(ctx, e.name); err != nil {
		return "", err
	}
	if there, err := b.isThere(ctx, e, pod, "after waking the operator"); err != nil || !there {
		return stompedLater, err
	}
	return survives, nil
}

// isThere tells whether an edit is there when the operator has come to rest.
func (b *bed) isThere(ctx context.Context, e edit, pod, when string) (bool, error) {
	if err := b.running.Rest(ctx); err != nil {
		return false, err
	}
	found, err := e.look(ctx, b, pod)
	if err != nil {
		return false, fmt.Errorf("%s: %w", e.name, err)
	}
	b.Say("  %s %s: %s", e.what, when, found)
	return found == e.want, nil
}
