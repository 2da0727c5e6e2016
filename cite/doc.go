// Package cite keeps citations of source code true: each is looked up, and moved along with what it cites.
//
// A citation is a location and what stands there: a text, which is a piece of that line in backquotes or double quotes, or
// a Go symbol.
//
//	k8s.io/client-go@v0.37.2/tools/cache/reflector.go:470 `func (r *Reflector) ListAndWatchWithContext(`
//	k8s.io/client-go@v0.37.2/tools/cache/reflector.go:470#Reflector.ListAndWatchWithContext
//	cite/citation.go:9 `type Location struct`
//
// The location of a line in another module is module@version/file:line, which but for upper-case letters is its path below
// the module cache; that of a line of the project is its path from the root of the checkout, which has a slash or an
// extension. A symbol is a function, type, constant or variable, or Type.Member for a method or a field.
//
// Between location and text are blanks, among them at most one line break, with the marker of a comment after it. In
// Markdown the location may be in backquotes or the text of a link, or both. A link that ends in the line, #L470, moves with
// the citation.
//
// The location of another module's line that nothing follows is a problem: nobody would see it rot. One of the project's own
// lines is then no citation, since what tools print is full of such. Without a line, another module's file with a symbol is a
// citation that has yet to get its line from Fix, and one without is a mention.
//
// A text has to be in one line alone of its file, or else nobody could tell where it went; the texts of citations in that
// file do not count. A module has to be pinned to the cited version by the project's go.mod; where that does not require the
// module, by a nested go.mod that requires it directly; and where none does, by any.
//
// Citations are read from Markdown, YAML and the comments of Go. Generated files and folders called testdata hold none.
package cite
