package zone

import "errors"

// What can stand between an entry and its publication. Every failure of a publisher that is not the
// caller's own (a bad entry, a cancelled context) is one of these to errors.Is.
var (
	// ErrTaken: the name is owned by another, or in use without an owner mark.
	ErrTaken = errors.New("DNS name is taken")
	// ErrConflict: the name changed between being read and being written. Read again.
	ErrConflict = errors.New("DNS name changed since it was read")
	// ErrRefused: the server answered, and will not do this for this key. Trying again changes nothing
	// until a person does.
	ErrRefused = errors.New("DNS server refused")
	// ErrUnreachable: the server gave no answer, or said that it cannot serve now. The request may have
	// been carried out all the same.
	ErrUnreachable = errors.New("DNS server is unavailable")
)

// Error is a failure with words for a person. The words are the same each time the same thing goes
// wrong (no ephemeral ports, no message ids, no times), so that they can stand in a status condition
// without changing it from one retry to the next; what differs is left to Cause, which is for logs.
type Error struct {
	// Kind is one of the Err values of this package.
	Kind error
	// Detail says which name or server, and what to mend.
	Detail string
	// Cause is the error underneath, if there was one.
	Cause error
}

func (e *Error) Error() string { return e.Kind.Error() + ": " + e.Detail }

// Unwrap makes both the kind and the cause known to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Taken says whose a name is that is neither free nor the caller's.
func Taken(held Entry) error {
	detail := held.Name + " belongs to owner " + held.Owner
	if held.Foreign {
		detail = held.Name + " is in use and carries no owner mark"
	}
	return &Error{Kind: ErrTaken, Detail: detail}
}
