package web_test

import "conch/gateway/web"

func activityFilter() web.ActivityFilter {
	return web.ActivityFilter{
		Chats: []web.ActivityChat{{ID: "c1", Title: "Write hello in Mousepad"}, {ID: "c2", Title: "Add up the receipts"}, {ID: "c3"}},
		Apps:  []string{"Galculator", "Mousepad"},
	}
}

func narrowFilter() web.ActivityFilter {
	f := activityFilter()
	f.What, f.Chat, f.App, f.Day = "refused", "c2", "Mousepad", "2026-11-30"
	return f
}

func activity() web.ActivityList {
	return web.ActivityList{Days: []web.ActivityDay{
		{Date: "2026-11-30", Name: "Today", Entries: []web.ActivityEntry{
			{
				ID: "e9", At: at(0), What: web.ActivityStep, Text: "Typed 24 characters in Mousepad", Why: "You allowed this app in this chat.",
				Rule: "yes-here", State: web.StepDone, App: "Mousepad", Chat: "c1", Title: "Write hello in Mousepad", Moment: "step-t1-s2",
			},
			{
				ID: "e8", At: at(-8), What: web.ActivityAnswered, Text: "You allowed it once.", More: "Use Mousepad on your computer?",
				State: web.StepDone, App: "Mousepad", Chat: "c1", Title: "Write hello in Mousepad", Moment: "question-q1",
			},
			{
				ID: "e7", At: at(-20), What: web.ActivityAsked, Text: "Asked: Use Mousepad on your computer?", More: "Each app on your computer asks once in a chat.",
				State: web.StepDone, App: "Mousepad", Chat: "c1", Title: "Write hello in Mousepad", Moment: "question-q1",
			},
			{
				ID: "e6", At: at(-600), What: web.ActivityEnded, Text: "You stopped this.", State: web.StepStopped,
				Chat: "c2", Title: "Add up the receipts in the calculator and write the sum down", Moment: "note-e6",
			},
			{
				ID: "e5", At: at(-900), What: web.ActivityStep, Text: "Click", More: "That’s a terminal. I can’t see or touch it. Do that part yourself, then tell me.",
				Rule: "kept-away", State: web.StepRefused, App: "XTerm", Chat: "c3", Moment: "step-t0-s1",
			},
		}},
		{Date: "2026-11-29", Name: "Yesterday", Entries: []web.ActivityEntry{
			{
				ID: "e1", At: at(-90000), What: web.ActivityStep, Text: "Opened Files", More: "The screen didn’t answer. It may have happened anyway: look before you try again.",
				Rule: "always", Why: "You always allow this app.", State: web.StepFailed, App: "Files", Chat: "c4", Title: "مرحبا بالعالم", Moment: "step-t0-s2",
			},
		}},
	}}
}

func stoppedQuestion() web.Question {
	q := question()
	q.Choice, q.Always = web.ChoiceStopped, false
	return q
}
