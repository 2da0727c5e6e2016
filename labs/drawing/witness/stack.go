package witness

import (
	"path"
	"runtime"
	"strings"

	"example.com/twinloop/labs/drawing"
)

// Frame is a call on a stack.
type Frame struct {
	// Package is its import path.
	Package string
	// Receiver is the type of a method, without its package; empty for a function.
	Receiver string
	// Function is the name of the function or method, with those that it was declared in.
	Function string
	// File is the base name of its file.
	File string
	Line int
}

// String is the frame as a person would cite it.
func (f Frame) String() string {
	if f.Receiver == "" {
		return f.Function
	}
	return f.Receiver + "." + f.Function
}

// Path is the import path of the package with the name of the file; Yours for a file of this package.
func (f Frame) Path() string {
	if f.ours() {
		return drawing.Yours
	}
	return f.Package + "/" + f.File
}

func (f Frame) ours() bool { return f.Package == ourPackage }

// Stack is where a goroutine is, the innermost call first.
type Stack []Frame

// ourPackage is the import path of this package, as the compiler has it.
var ourPackage = here(0)[0].Package

// here is the caller's stack, without the innermost of its calls.
func here(without int) Stack {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2+without, callers)])
	var stack Stack
	for {
		frame, more := frames.Next()
		if f := newFrame(frame); f.Package != "runtime" { // where every goroutine begins
			stack = append(stack, f)
		}
		if !more {
			return stack
		}
	}
}

// newFrame takes a function's full name apart, such as k8s.io/client-go/tools/cache.(*RealFIFO).Add or
// k8s.io/client-go/listers.ResourceIndexer[...].Get.
func newFrame(frame runtime.Frame) Frame {
	folder, rest := path.Split(frame.Function)
	pkg, function, _ := strings.Cut(strings.ReplaceAll(rest, "[...]", ""), ".")
	f := Frame{Package: folder + pkg, Function: function, File: path.Base(frame.File), Line: frame.Line}
	receiver, method, ok := strings.Cut(function, ".")
	if pointer := strings.HasPrefix(receiver, "(*"); ok && (pointer || !strings.HasPrefix(method, "func")) {
		f.Receiver, f.Function = strings.Trim(receiver, "(*)"), method
	}
	return f
}

// goroutine is the number of the one that calls.
func goroutine() string {
	buffer := make([]byte, 64)
	words := strings.Fields(string(buffer[:runtime.Stack(buffer, false)]))
	return words[1] // goroutine 7 [running]:
}

// theirs is the stack from the innermost call that is not ours.
func (s Stack) theirs() Stack {
	for i, frame := range s {
		if !frame.ours() {
			return s[i:]
		}
	}
	return nil
}

// outermost is how many calls there are up to the outermost that is a method of a type.
func (s Stack) outermost(receiver string) int {
	n := 0
	for i, frame := range s {
		if frame.Receiver == receiver {
			n = i + 1
		}
	}
	return n
}

// innermost is how many calls there are before the innermost that is a method of a type.
func (s Stack) innermost(receiver string) int {
	for i, frame := range s {
		if frame.Receiver == receiver {
			return i
		}
	}
	return len(s)
}
