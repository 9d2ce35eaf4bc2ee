package web_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"time"

	"conch/gateway/web"
)

var noon = time.Date(2026, 11, 30, 14, 2, 0, 0, time.UTC)

func at(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }

func rail() web.RailChats {
	return web.RailChats{Days: []web.RailDay{
		{Name: "Today", Chats: []web.RailChat{
			{ID: "c1", Title: "Write hello in Mousepad", Running: true},
			{ID: "c2", Title: "Add up the receipts in the calculator and write the sum down", Asking: true},
			{ID: "c3"},
		}},
		{Name: "Yesterday", Chats: []web.RailChat{{ID: "c4", Title: "Sort the downloads folder"}, {ID: "c5", Title: "مرحبا بالعالم"}}},
		{Name: "3 November", Chats: []web.RailChat{{ID: "c6", Title: "Look at the screen"}}},
	}}
}

func steps(running bool) web.Steps {
	s := web.Steps{Turn: "t1", Running: running, Steps: []web.Step{
		{ID: "s1", Kind: "screenshot", Text: "Looked at the screen", State: web.StepDone, At: at(1)},
		{ID: "s2", Kind: "open_app", Text: "Opened Mousepad", State: web.StepDone, At: at(3)},
		{ID: "s3", Kind: "left_click", Text: "Clicked Save in Mousepad", State: web.StepDone, At: at(4)},
		{
			ID: "s4", Kind: "left_click", Text: "Click in XTerm", State: web.StepRefused, At: at(5),
			More: "That’s a terminal. I can’t see or touch it. Do that part yourself, then tell me.",
		},
	}}
	if running {
		s.Steps = append(s.Steps, web.Step{ID: "s5", Kind: "type", Text: "Typing in Mousepad", State: web.StepDoing, At: at(6)})
	} else {
		s.Steps = append(s.Steps, web.Step{ID: "s5", Kind: "type", Text: "Typed 412 of 5,000 characters in Mousepad", State: web.StepStopped, At: at(6)})
		s.Took = 12 * time.Second
	}
	return s
}

func question() web.Question {
	return web.Question{
		ID: "q1", What: "Use Galculator on your computer?", App: "Galculator", Always: true, At: at(9),
		Why: "This chat hasn’t used Galculator yet. Next step: click 7.",
	}
}

func said() []web.PartView {
	return []web.PartView{
		web.Message{ID: "m1", Who: web.ByPerson, Text: "look", At: at(-60)},
		web.Steps{Turn: "t0", Took: 900 * time.Millisecond, Steps: []web.Step{{ID: "s0", Kind: "screenshot", Text: "Looked at the screen", State: web.StepDone, At: at(-59)}}},
		web.Message{ID: "m2", Who: web.ByConch, Text: "Three windows are open: Mousepad, Galculator and Files. One more is covered.", At: at(-58)},
		web.Message{ID: "m3", Who: web.ByPerson, Text: "open Mousepad then type \"héllo, мир 👋\"\nthen press ctrl+a", At: at(0)},
		web.Question{ID: "q0", What: "Use Mousepad on your computer?", Choice: web.ChoiceOnce, At: at(2)},
	}
}

func samples() map[string]web.PageView {
	frame := web.Frame{Rail: rail(), Palette: palette(), After: 41}
	all := pageSamples(frame)
	maps.Copy(all, assistantSamples(frame))
	maps.Copy(all, appSamples(frame))
	maps.Copy(all, modelSamples(frame))
	return all
}

func pageSamples(frame web.Frame) map[string]web.PageView {
	ready := web.Computer{On: true, Screen: web.Screen{Ready: true}}
	practice := ready
	practice.Practice = true
	live := web.Live{On: true, Shot: "p7", W: 1280, H: 800, Step: "Typing in Mousepad", N: 7, Max: 60, Click: &web.Click{X: 560, Y: 300}}
	off := web.Screen{Say: "There is no display.", Next: "Log in to a desktop, or run conch --practice."}
	return map[string]web.PageView{
		"home":          web.Home{Frame: frame, Computer: ready},
		"home-first":    web.Home{Computer: web.Computer{Screen: web.Screen{Ready: true}}},
		"home-broken":   web.Home{Frame: frame, Computer: web.Computer{On: true, Screen: off}},
		"home-practice": web.Home{Frame: frame, Computer: practice},
		"chat-running": web.Chat{
			Frame: frame, ID: "c1", Title: "Write hello in Mousepad", Computer: practice,
			Items: append(said(), steps(true)), Live: live, Composer: web.ComposerState{Running: true, Mode: web.ModeAsk},
		},
		"chat-asking": web.Chat{
			Frame: frame, ID: "c2", Title: "Add up the receipts in the calculator and write the sum down", Computer: ready,
			Items:  append(said(), steps(true), question()),
			Asking: web.Asking{Questions: []web.Question{question()}}, Live: live,
			Composer: web.ComposerState{Running: true, Mode: web.ModeAuto},
		},
		"chat-stopped": web.Chat{
			Frame: frame, ID: "c1", Title: "Write hello in Mousepad", Computer: practice,
			Items: append(
				said(), steps(false),
				web.Note{ID: "n1", Kind: web.NoteStopped, Text: "You stopped this.", Next: "What was typed so far stays."},
				web.Message{ID: "m4", Who: web.ByPerson, Text: "make me a sandwich"},
				web.Message{ID: "m5", Who: web.ByConch, Text: "I can’t read “make me a sandwich”. Start with a word such as open, click, type or press."},
				web.Note{ID: "n2", Kind: web.NoteFailed, Text: "The screen is gone.", Next: "Start Conch again."},
			),
		},
		"chat-empty":        web.Chat{Frame: frame, ID: "c3", Computer: ready},
		"settings":          web.Settings{Frame: frame, Computer: ready, Version: "0.1.0", Folder: "~/.conch", OtherApps: true, Confirm: web.Confirm{Password: true}},
		"computer-off":      web.ComputerSettings{Frame: frame, Screen: web.Screen{Ready: true}, Stop: web.StopKey{Keys: "Super+Escape", Edge: true}},
		"computer-on":       web.ComputerSettings{Frame: frame, Switch: web.Switch{On: true}, Screen: web.Screen{Ready: true}, Practice: true, Allowed: allowed(), Stop: web.StopKey{Keys: "Super+Escape", Edge: true}},
		"computer-switches": web.ComputerSettings{Frame: frame, Screen: off, Switches: systemSwitches(), Stop: web.StopKey{Keys: "⌘⎋", Edge: true}},
		"computer-broken":   web.ComputerSettings{Frame: frame, Switch: web.Switch{Locked: "Turn it on from the computer itself."}, Screen: off, Stop: web.StopKey{Say: "Another program has both keys. Use Stop in the chat."}},
		"devices-first":     web.DevicesPage{Frame: frame, Address: web.Address{Local: true}, Devices: web.Devices{Local: true}},
		"devices":           web.DevicesPage{Frame: frame, Address: address(), Devices: devices()},
		"devices-away":      web.DevicesPage{Frame: frame, Address: web.Address{On: true, URL: "https://conch.example.org", Proxy: true, Password: true}, Devices: web.Devices{In: []web.Device{{ID: "d1", Name: "Safari on iPhone", Number: "0417", This: true}}}},
		"devices-broken":    web.DevicesPage{Frame: frame, Address: web.Address{On: true, Local: true, Password: true, URL: "https://conch.example.org:4779", Broken: "Another program has that port. Give another port, or end that program."}, Devices: web.Devices{Local: true, Broken: "The list of devices can’t be read, so none comes in."}},
		"signin":            web.SignIn{},
		"signin-waiting":    web.SignIn{Waiting: true, Number: "0417"},
		"activity":          web.Activity{Frame: frame, List: activity(), Filter: activityFilter(), Older: "/activity?before=1"},
		"activity-empty":    web.Activity{Frame: web.Frame{}},
		"activity-narrowed": web.Activity{Frame: frame, Filter: narrowFilter(), List: web.ActivityList{Narrowed: true}, Past: true},
		"checkup":           web.Checkup{Frame: frame, List: checkup()},
		"checkup-fine":      web.Checkup{Frame: frame, List: web.CareList{Which: "checkup", Local: true, Fine: checkup().Fine}},
		"checkup-away":      web.Checkup{Frame: frame, List: away(checkup())},
		"repair":            web.Repair{Frame: frame, Run: web.RepairRun{Local: true}, List: repairs()},
		"repair-running":    web.Repair{Frame: frame, Run: repairing(), List: repairs()},
		"repair-ended":      web.Repair{Frame: frame, Run: repaired(), List: repairs()},
		"repair-fine":       web.Repair{Frame: frame, Run: web.RepairRun{Local: true, Ended: true}, List: web.CareList{Which: "repair", Local: true, Fine: repairs().Fine}},
		"repair-away":       web.Repair{Frame: frame, List: away(repairs())},
		"here":              web.Here{Next: "/settings"},
		"refused":           web.Refused{},
		"notfound":          web.NotFound{Frame: frame},
		"broken":            web.Broken{},
		"chat-no-one-here":  web.Chat{Frame: frame, ID: "c9", Title: "Look at the screen", Items: said(), Live: web.Live{On: true}, Composer: web.ComposerState{Running: true}},
	}
}

func address() web.Address {
	return web.Address{
		On: true, URL: "https://conch.example.org:4779", Ends: noon.Add(60 * 24 * time.Hour), Password: true, Local: true,
		Name: "conch.example.org", Port: 4779, Certificate: "/home/ada/conch.pem", Key: "/home/ada/conch-key.pem",
	}
}

func devices() web.Devices {
	return web.Devices{
		Local:   true,
		Waiting: []web.Device{{ID: "d3", Name: "Chrome on Android", Number: "8802", From: "192.168.1.23", Since: noon}},
		In: []web.Device{
			{ID: "d1", Name: "Safari on iPhone", Number: "0417", Seen: "Today"},
			{ID: "d2", Name: "Firefox on Linux", Number: "5190", Seen: "3 November"},
		},
	}
}

func systemSwitches() web.Switches {
	return web.Switches{
		App: "In macOS’s lists this is Conch.", Reopen: true,
		Rows: []web.SwitchRow{
			{ID: "see", Name: "See the screen", State: web.SwitchReopen, Say: "It’s on in macOS’s list. Conch gets it when it is opened again."},
			{
				ID: "click", Name: "Click and type", State: web.SwitchRefused, Say: "macOS’s list shows Conch as on and refuses it.",
				Steps: []string{"Select Conch and press −.", "Press + and choose Conch."}, Button: "Open the list",
			},
		},
		Notes: []web.SwitchNote{{Say: "This Conch’s signature counts for this build only.", Next: "“make app” says how to keep it."}},
	}
}

func allowed() web.AllowedApps {
	return web.AllowedApps{Apps: []web.AllowedApp{
		{ID: "org.xfce.mousepad", Name: "Mousepad", Since: noon}, {ID: "galculator", Name: "Galculator"},
	}}
}

// desktop draws a plain desktop, n steps in, as PNG.
func desktop(n int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 1280, 800))
	fill := func(x0, y0, x1, y1 int, c color.RGBA) {
		draw.Draw(m, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(0, 0, 1280, 800, color.RGBA{0x4f, 0x6d, 0x7a, 255})
	fill(160, 110, 880, 640, color.RGBA{0xd9, 0xd9, 0xd6, 255})
	fill(162, 140, 878, 638, color.RGBA{0xff, 0xff, 0xff, 255})
	for i := range 4 + n%8 {
		fill(180, 160+i*26, 400+(i*97)%380, 172+i*26, color.RGBA{0x40, 0x40, 0x44, 255})
	}
	fill(820, 330, 1160, 720, color.RGBA{0x33, 0x36, 0x3c, 255})
	for i := range 20 {
		fill(836+(i%4)*80, 420+(i/4)*58, 906+(i%4)*80, 468+(i/4)*58, color.RGBA{0x55, 0x5a, 0x62, 255})
	}
	var b bytes.Buffer
	_ = png.Encode(&b, m)
	return b.Bytes()
}
