// Package labs has all labs. Each is a folder of its own, and its README.md is the page to begin with.
package labs

import (
	drawthepipeline "example.com/twinloop/labs/01-draw-the-pipeline"
	enqueueakey "example.com/twinloop/labs/02-enqueue-a-key"
	rosettastone "example.com/twinloop/labs/03-rosetta-stone"
	onelineperstage "example.com/twinloop/labs/04-one-line-per-stage"
	twoedits "example.com/twinloop/labs/05-two-edits"
	hundredadds "example.com/twinloop/labs/06-hundred-adds"
	retrygaps "example.com/twinloop/labs/07-retry-gaps"
	onepop "example.com/twinloop/labs/08-one-pop"
	unseendelete "example.com/twinloop/labs/09-unseen-delete"
	gone "example.com/twinloop/labs/10-gone"
	hassynced "example.com/twinloop/labs/11-has-synced"
	emptycache "example.com/twinloop/labs/12-empty-cache"
	drawingcorrected "example.com/twinloop/labs/13-drawing-corrected"
	"example.com/twinloop/labs/lab"
)

// All are the labs, in their order.
var All = []lab.Lab{
	drawthepipeline.Lab,
	enqueueakey.Lab,
	rosettastone.Lab,
	onelineperstage.Lab,
	twoedits.Lab,
	hundredadds.Lab,
	retrygaps.Lab,
	onepop.Lab,
	unseendelete.Lab,
	gone.Lab,
	hassynced.Lab,
	emptycache.Lab,
	drawingcorrected.Lab,
}
