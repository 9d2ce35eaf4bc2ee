//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"conch/app/internal/fixture"
	"conch/driver"
	"conch/driver/x11"
	"conch/driver/x11/xserver"
)

// benchName asks what a button in two toolkits is called, as is done before each click, and how long that takes.
func benchName(ctx context.Context, r *report) error {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox", Bus: true})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	d, err := x11.Open(ctx, x11.Options{Env: s.Env()})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	var all []float64
	for _, kind := range []fixture.Kind{fixture.GTK, fixture.Qt} {
		took, err := nameIn(ctx, s, d, kind)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		r.say("name in %s: median %s ms, slowest %s ms", kind, short(median(took)), short(quantile(took, 1)))
		all = append(all, took...)
	}
	r.figure("control_name_ms", median(all), "ms")
	return nil
}

// nameIn measures one kind of application, once it answers at all: the first question wakes its accessibility up.
func nameIn(ctx context.Context, s *xserver.Server, d driver.Driver, kind fixture.Kind) ([]float64, error) {
	a, err := fixture.Start(ctx, s, kind, "Bench names")
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }()
	x, y, ok := a.Part("button")
	if !ok {
		return nil, errors.New("it has no button")
	}
	at := driver.ScreenPoint{X: x, Y: y}
	awake, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		c, err := d.Control(awake, at)
		if err == nil && c.Role == "button" && c.Name != "" {
			break
		}
		if err != nil && !errors.Is(err, driver.ErrNoControl) {
			return nil, err
		}
	}
	var took []float64
	for range 100 {
		start := time.Now()
		c, err := d.Control(ctx, at)
		took = append(took, ms(time.Since(start)))
		if err != nil || c.Name == "" {
			return nil, fmt.Errorf("the button's name was %q: %w", c.Name, err)
		}
	}
	return took, nil
}
