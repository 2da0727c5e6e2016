//go:build !race

package suite

// buildFlags are those of the operators: they are watched for data races when the suite is.
var buildFlags []string
