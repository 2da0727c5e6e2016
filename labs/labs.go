// Package labs has all labs. Each is a folder of its own, and its README.md is the page to begin with.
package labs

import (
	hundredadds "example.com/twinloop/labs/06-hundred-adds"
	retrygaps "example.com/twinloop/labs/07-retry-gaps"
	onepop "example.com/twinloop/labs/08-one-pop"
	hassynced "example.com/twinloop/labs/11-has-synced"
	emptycache "example.com/twinloop/labs/12-empty-cache"
	"example.com/twinloop/labs/lab"
)

// All are the labs, in their order.
var All = []lab.Lab{
	hundredadds.Lab,
	retrygaps.Lab,
	onepop.Lab,
	hassynced.Lab,
	emptycache.Lab,
}
