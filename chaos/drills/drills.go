// Package drills holds the drills that come with the project, as files to read and to copy.
package drills

import "embed"

// Files are the drill definitions, one YAML file each.
//
//go:embed *.yaml
var Files embed.FS
