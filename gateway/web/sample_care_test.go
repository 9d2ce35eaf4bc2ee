package web_test

import "conch/gateway/web"

func fix(id, title string) *web.CareFix { return &web.CareFix{ID: id, Title: title} }

func checkup() web.CareList {
	return web.CareList{
		Which: "checkup", Local: true,
		Wrong: []web.CareCheck{
			{ID: "modes", Title: "Who can read Conch’s files", Level: web.CareBad, Say: "Other accounts on this computer can reach computer-use.json and here.", Fix: fix("modes", "Close them")},
			{ID: "trust", Title: "Chats with full trust", Level: web.CareWarn, Say: "2 chats go ahead without asking.", Rows: []web.CareRow{
				{Title: "“Add up the receipts in the calculator and write the sum down”", Say: "Last used 30 November 2026.", Fix: fix("trust/c2", "Ask first")},
				{Title: "“مرحبا بالعالم”", Say: "Last used 29 November 2026.", Fix: fix("trust/c5", "Ask first")},
			}},
			{ID: "pausing", Title: "Pause when you take over", Level: web.CareWarn, Say: "Off. Your assistant goes on beside your own mouse and keyboard.", Open: "/settings/computer", Fix: fix("pausing", "Turn on")},
		},
		Know: []web.CareCheck{
			{ID: "computer-use", Title: "Use your apps", Level: web.CareInfo, Say: "On. Your assistant may see this screen and use your apps while you watch.", Open: "/settings/computer", Fix: fix("computer-use", "Turn off")},
			{ID: "always", Title: "Apps always allowed", Level: web.CareInfo, Say: "1 app is used without asking.", Open: "/settings/computer", Rows: []web.CareRow{
				{Title: "Mousepad", Say: "Since 30 November 2026.", Fix: fix("always/org.xfce.mousepad", "Take back")},
			}},
		},
		Fine: []web.CareCheck{
			{ID: "confirm", Title: "Confirm that it’s you", Level: web.CareOK, Say: "On. Conch asks before Full trust and Always.", Open: "/settings"},
			{ID: "address", Title: "Reached from elsewhere", Level: web.CareOK, Say: "Off. Conch answers only this computer.", Open: "/settings/devices"},
		},
	}
}

func repairs() web.CareList {
	return web.CareList{
		Which: "repair", Local: true,
		Wrong: []web.CareCheck{
			{ID: "documents", Title: "Settings files", Level: web.CareBad, Say: "What can’t be read counts as off, and asks where it would have asked.", Rows: []web.CareRow{
				{Title: "computer-use.json", Say: "It is damaged. Put the right one in its place, or move it away.", Fix: fix("documents/computer-use.json", "Put aside")},
				{Title: "access.json", Say: "It is damaged. Put the right one in its place, or move it away."},
			}},
		},
		Know: []web.CareCheck{{ID: "edge-test", Title: "Pictures leave Conch out", Level: web.CareInfo, Say: "This wasn’t tried since Conch was started.", Fix: fix("edge-test", "Try now")}},
		Fine: []web.CareCheck{
			{ID: "screen", Title: "The screen", Level: web.CareOK, Say: "It can be seen and used.", Open: "/settings/computer"},
			{ID: "stop-key", Title: "Stop from anywhere", Level: web.CareOK, Say: "Super+Esc is free, and stops a turn from any app."},
		},
	}
}

// away is a list as it is seen from another device.
func away(l web.CareList) web.CareList {
	l.Local = false
	for _, part := range []*[]web.CareCheck{&l.Wrong, &l.Know, &l.Fine} {
		for i := range *part {
			(*part)[i].Fix = nil
			for j := range (*part)[i].Rows {
				(*part)[i].Rows[j].Fix = nil
			}
		}
	}
	return l
}

func repairing() web.RepairRun {
	return web.RepairRun{
		Local: true, Running: true, Done: 4, Total: 11, Now: "Keys and buttons held down",
		Fixed: []string{"Conch’s files are your account’s alone again."},
	}
}

func repaired() web.RepairRun {
	return web.RepairRun{
		Local: true, Ended: true,
		Fixed: []string{"Conch’s files are your account’s alone again.", "A key or button was held down by a program, and was let go."},
		Left:  []web.CareLeft{{Title: "Names of buttons and fields", Say: "That was tried and didn’t help. The accessibility bus doesn’t answer, so nothing can be clicked by its name."}},
	}
}
