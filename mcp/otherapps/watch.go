package otherapps

import (
	"context"
	"slices"
	"time"

	"conch/mcp/connect/apps"
)

const (
	// lookEvery is how often lines are looked after that an app may write over.
	lookEvery = time.Minute
	// An app that was connected while it was open is told to quit and to open again, and it may write its settings as
	// it quits. What it wrote has to be put right before it reads them, so for a while it is looked at more closely.
	lookClose    = time.Second
	lookCloseFor = 10 * time.Minute
)

// tellWatch has watch look at an app that was just connected. Call it under connecting.
func (s *Service) tellWatch() {
	select {
	case s.joined <- struct{}{}:
	default: // nobody watches yet, or it was told already
	}
}

// watch puts lines back that apps wrote over, every minute, and at once when an app is seen to have quit.
func (s *Service) watch(ctx context.Context, joined <-chan struct{}) {
	var open []string
	mended := time.Now()
	for {
		wait := lookEvery
		if len(open) > 0 {
			wait = lookClose
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-joined:
			mended = time.Time{} // it may have quit before it was seen
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
		was := open
		open = s.openNow()
		quit := slices.ContainsFunc(was, func(id string) bool { return !slices.Contains(open, id) })
		if quit || time.Since(mended) >= lookEvery && len(s.expects()) > 0 {
			s.Mend(ctx)
			mended = time.Now()
		}
		if !slices.Equal(was, open) {
			s.Changed() // the page says which are open
		}
	}
}

// openNow lists the expected apps that were connected a moment ago and are open.
func (s *Service) openNow() (ids []string) {
	for _, e := range s.expects() {
		if e.running == apps.Open && s.opt.Now().Sub(e.client.Paired) < lookCloseFor {
			ids = append(ids, e.client.ID)
		}
	}
	return ids
}
