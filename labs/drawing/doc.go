// Package drawing reads the pipeline of a controller as a person draws it, and says what is wrong with the drawing.
//
//	# everything after a number sign is for you
//	API server -> reflector        # an arrow goes the way that the objects go
//	worker -> reconcile -> API server
//	reflector: tools/cache/reflector.go
//
// A line has arrows between stages, or a stage and the file that it is in.
package drawing
