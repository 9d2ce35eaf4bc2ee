package main

import (
	"math/rand/v2"
	"testing"
)

// In whatever order macOS asks and the program ends: the program is told to end before macOS may go on, macOS
// is answered once and in the way it waits for, and never before the program has ended.
func TestLeavingAtRandom(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		var quits, replies, terminates int
		l := &leaving{quit: func() { quits++ }, reply: func() { replies++ }, terminate: func() { terminates++ }}
		asked, ended := 0, false
		for range 6 {
			if rnd.IntN(2) == 0 {
				now := l.asked()
				if now != ended {
					t.Fatalf("seed %d: macOS may go: %v, the program has ended: %v", seed, now, ended)
				}
				if !ended {
					asked++
				}
			} else if !ended {
				l.programEnded(3)
				ended = true
			}
			if !ended && replies+terminates > 0 {
				t.Fatalf("seed %d: macOS was let go before the end", seed)
			}
		}
		if quits != asked {
			t.Errorf("seed %d: asked %d times, told the program %d times", seed, asked, quits)
		}
		if ended && (replies+terminates != 1 || (replies == 1) != (asked > 0) || l.exitCode() != 3) {
			t.Errorf("seed %d: %d replies, %d terminates, asked %d times before the end", seed, replies, terminates, asked)
		}
	}
}
