// Package retrygaps measures how long a workqueue holds a key back that fails again and again.
package retrygaps

import (
	"context"
	_ "embed"
	"fmt"

	"example.com/twinloop/labs/lab"
)

//go:embed README.md
var page string

// Lab is lab 7.
var Lab = lab.Lab{
	Number:  7,
	Name:    "retry-gaps",
	Title:   "The gap between retries, measured against the limiter that sets it",
	Module:  "4.2 The machinery",
	Needs:   lab.Nothing,
	Minutes: 30,
	Page:    page,
	Questions: append(questionsOfGaps(),
		lab.Question{Name: "gap-without-forget", Answer: lab.Number{Unit: "ms"},
			Text: "The 9th attempt succeeds and nobody calls Forget. An hour later the key fails once. How long is it held back?"},
		lab.Question{Name: "gap-after-forget", Answer: lab.Number{Unit: "ms"},
			Text: "And how long if Forget had been called?"},
		lab.Question{Name: "failures-to-cap", Answer: lab.Number{},
			Text: "The longest gap is 1000 s. Which failure in a row is the first to wait so long?"},
		lab.Question{Name: "attempts-rate-limited", Answer: lab.Number{},
			Text: "How many attempts are there in the first second if every one fails and calls AddRateLimited?"},
		lab.Question{Name: "attempts-hot", Answer: lab.Number{},
			Text: fmt.Sprintf("Every one fails and calls Add instead, and the lab stops after %d attempts. "+
				"How many of them does the queue hand out without a wait?", hotBound)},
		lab.Question{Name: "delay-key-100", Answer: lab.Number{Unit: "ms"},
			Text: "200 keys fail once, all at the same time. With client-go's default limiter, how long does the 100th wait?"},
		lab.Question{Name: "delay-key-200", Answer: lab.Number{Unit: "ms", Within: 100},
			Text: "And how long the 200th?"},
		lab.Question{Name: "priority-queue-200-keys", Answer: lab.Choice{withinASecond, afterSeconds},
			Text: "The same 200 keys in controller-runtime's priority queue, with its default limiter. When is the last handed out?"},
		lab.Question{Name: "real-ratio", Answer: lab.Number{Within: 0.3},
			Text: "In real time: how many times as long as the 7th gap is the 8th?"},
	),
	Run: run,
}

const (
	gapsMeasured  = 8
	hotBound      = 1000
	withinASecond = "within a second"
	afterSeconds  = "after about ten seconds"
)

func questionsOfGaps() []lab.Question {
	var all []lab.Question
	for n := 1; n <= gapsMeasured; n++ {
		all = append(all, lab.Question{Name: nameOfGap(n), Answer: lab.Number{Unit: "ms"},
			Text: fmt.Sprintf("The exponential limiter, 5 ms at first. How long is the key held back after failure %d in a row?", n)})
	}
	return all
}

func nameOfGap(n int) string { return fmt.Sprintf("gap-%d", n) }

func run(ctx context.Context, bench *lab.Bench) error {
	for _, part := range []func(context.Context, *lab.Bench) error{
		exactGaps, reachCap, rateLimited, hotLoop, bucket, priorityQueue, realGaps,
	} {
		if err := part(ctx, bench); err != nil {
			return err
		}
	}
	return nil
}
