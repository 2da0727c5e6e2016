package cite

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"path"
)

// LinesWith returns the lines that hold a text, counted from 1.
func LinesWith(content []byte, text string) []int {
	var lines []int
	number := 0
	for line := range bytes.Lines(content) {
		number++
		if bytes.Contains(line, []byte(text)) {
			lines = append(lines, number)
		}
	}
	return lines
}

// linesDeclaring returns the lines in which a Go file declares a symbol. The error says why it cannot be known.
func linesDeclaring(file string, source []byte, symbol string) ([]int, error) {
	if path.Ext(file) != ".go" {
		return nil, fmt.Errorf("only a Go file has symbols: cite a text in quotes instead of #%s", symbol)
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("the file is no Go that can be parsed: cite a text in quotes instead of #%s", symbol)
	}
	var lines []int
	for name, pos := range declared(parsed) {
		if name == symbol {
			lines = append(lines, files.PositionFor(pos, false).Line)
		}
	}
	return lines, nil
}

// declared yields what a file declares at its top, methods and members as Type.Member.
func declared(file *ast.File) iter.Seq2[string, token.Pos] {
	return func(yield func(string, token.Pos) bool) {
		more := true
		tell := func(owner string, name *ast.Ident) {
			if name == nil || !more {
				return
			}
			if owner != "" {
				owner += "."
			}
			more = yield(owner+name.Name, name.Pos())
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				owner := ""
				if decl.Recv.NumFields() > 0 {
					if base := baseName(decl.Recv.List[0].Type); base != nil {
						owner = base.Name
					}
				}
				tell(owner, decl.Name)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						tell("", spec.Name)
						for _, name := range members(spec.Type) {
							tell(spec.Name.Name, name)
						}
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							tell("", name)
						}
					}
				}
			}
		}
	}
}

// members are the fields of a struct, or the methods of an interface.
func members(of ast.Expr) []*ast.Ident {
	var fields *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		fields = of.Fields
	case *ast.InterfaceType:
		fields = of.Methods
	default:
		return nil
	}
	var names []*ast.Ident
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			names = append(names, baseName(field.Type))
		}
		names = append(names, field.Names...)
	}
	return names
}

// baseName is the name of a receiver's or an embedded field's type; nil for a union of an interface.
func baseName(of ast.Expr) *ast.Ident {
	switch of := of.(type) {
	case *ast.Ident:
		return of
	case *ast.StarExpr:
		return baseName(of.X)
	case *ast.ParenExpr:
		return baseName(of.X)
	case *ast.SelectorExpr:
		return of.Sel
	case *ast.IndexExpr:
		return baseName(of.X)
	case *ast.IndexListExpr:
		return baseName(of.X)
	default:
		return nil
	}
}
