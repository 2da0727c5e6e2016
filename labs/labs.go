// Package labs has all labs. Each is a folder of its own, and its README.md is the page to begin with.
package labs

import (
	hundredadds "example.com/twinloop/labs/06-hundred-adds"
	retrygaps "example.com/twinloop/labs/07-retry-gaps"
	onepop "example.com/twinloop/labs/08-one-pop"
	unseendelete "example.com/twinloop/labs/09-unseen-delete"
	gone "example.com/twinloop/labs/10-gone"
	"example.com/twinloop/labs/lab"
)

// All are the labs, in their order.
var All = []lab.Lab{
	hundredadds.Lab,
	retrygaps.Lab,
	onepop.Lab,
	unseendelete.Lab,
	gone.Lab,
}
