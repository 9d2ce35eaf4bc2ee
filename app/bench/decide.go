//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"conch/gateway/computer/policy"
	"conch/gateway/guard"
)

// beside is what may be true beside where a wish comes from, one at a time, as gateway/guard walks it.
var beside = []func(*guard.Facts){
	func(*guard.Facts) {},
	func(f *guard.Facts) { f.On = false },
	func(f *guard.Facts) { f.Attended = false },
	func(f *guard.Facts) { f.Protected = true },
	func(f *guard.Facts) { f.Policy = guard.TurnedOff },
	func(f *guard.Facts) { f.Policy = guard.AskEach },
	func(f *guard.Facts) { f.Policy, f.Serious = guard.DontAsk, true },
	func(f *guard.Facts) { f.Yes = true },
	func(f *guard.Facts) { f.Skill = "tidy-notes" },
	func(f *guard.Facts) { f.Here = false },
	func(f *guard.Facts) { f.Confirms = true },
	func(f *guard.Facts) { f.Action = policy.Screenshot },
	func(f *guard.Facts) { f.Holds = false },
	func(f *guard.Facts) { f.Used = f.Limit },
	func(f *guard.Facts) { f.Fresh = false },
	func(f *guard.Facts) {
		f.Touches = []guard.Touch{{Kept: policy.Kept{Kind: policy.Passwords, Say: "Kept away."}}}
	},
	func(f *guard.Facts) { f.Action, f.Aims, f.Secure = policy.Type, false, true },
	func(f *guard.Facts) { f.YesHere = true },
	func(f *guard.Facts) { f.YesHere, f.YesSince, f.Stakes.Control = true, true, "Send" },
	func(f *guard.Facts) { f.Always = true },
}

// wishes are every surface, origin, mode, kind and taint, with each of what may be true beside them.
func wishes() (out []guard.Facts) {
	for s := guard.SurfaceUnknown; s <= guard.Program; s++ {
		for o := guard.OriginUnknown; o <= guard.ChatApp; o++ {
			for m := guard.ModeUnknown; m <= guard.FullTrust; m++ {
				for k := guard.KindUnknown; k <= guard.Grants; k++ {
					for taint := range 3 {
						for _, change := range beside {
							f := guard.Facts{
								Turn: guard.Turn{Surface: s, Origin: o, Mode: m, Attended: true, ReadScreen: taint > 0, ReadOutside: taint > 1},
								Kind: k, On: true, Here: true, Name: "Use your apps",
								Step: guard.Step{
									Action: policy.LeftClick, Holds: true, Limit: 60, Aims: true, Seen: true, Fresh: true,
									Touches: []guard.Touch{{}}, AppName: "Mousepad",
								},
							}
							change(&f)
							out = append(out, f)
						}
					}
				}
			}
		}
	}
	return out
}

// benchDecide times the one decision over every cell, round after round.
func benchDecide(ctx context.Context, r *report) error {
	all := wishes()
	var took []float64
	for range 21 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		start := time.Now()
		for i := range all {
			if v := guard.Decide(all[i]); v.Rule == "no-rule" {
				return fmt.Errorf("nobody decided %+v", all[i])
			}
		}
		took = append(took, float64(time.Since(start).Nanoseconds())/1000/float64(len(all)))
	}
	r.say("decide: %d wishes, %v", len(all), took)
	r.figure("decide_us", median(took), "us")
	return nil
}
