package minictl

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// epoch is when tick 0 is, in the timestamps of objects.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Clock is virtual time. A tick stands for a second, so that fields in seconds count ticks.
type Clock struct{ tick int }

// Tick is the number of ticks since the beginning.
func (c *Clock) Tick() int { return c.tick }

// Now is the time at the current tick.
func (c *Clock) Now() metav1.Time { return metav1.NewTime(epoch.Add(seconds(c.tick))) }

func seconds[N int | int32](n N) time.Duration { return time.Duration(n) * time.Second }
