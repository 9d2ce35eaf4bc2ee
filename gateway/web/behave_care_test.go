package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"conch/gateway/web"
	"conch/gateway/web/webtest"
)

// TestCareAndActivityBehave presses what puts things right, and follows Activity to a moment of a chat.
func TestCareAndActivityBehave(t *testing.T) {
	b := webtest.Open(t)
	for name, run := range map[string]func(*testing.T, *webtest.Browser, *gateway){
		"a fix": oneFix, "a repair": wholeRepair, "activity": newActivity, "a moment": aMoment,
	} {
		t.Run(name, func(t *testing.T) {
			b := b.For(t)
			g := serve(t)
			b.Set(webtest.Looks[0])
			run(t, b, g)
			if faults := b.Faults(); faults != "" {
				t.Error(faults)
			}
			b.Go("about:blank")
		})
	}
}

func oneFix(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/checkup")
	fine := checkup()
	fine.Wrong = fine.Wrong[:2]
	g.set(func() { g.pages["checkup"] = web.Checkup{List: fine} })
	b.Do(chromedp.Click(chromedp.CSS(`[data-care-fix="pausing"]`)))
	g.called(t, `POST /api/care/fix {"id":"pausing"}`)
	b.Until(`document.querySelector(".toast")?.textContent.includes("It pauses again when you take over.")`)
	b.Until(`document.querySelector(".care-head").textContent.includes("2 things to look at") && !document.querySelector('[data-check="pausing"]')`)
}

func wholeRepair(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/repair")
	b.Do(chromedp.Click(chromedp.CSS(`[data-care-repair]`)))
	g.called(t, "POST /api/care/repair {}")
	g.push(t, g.replaced(t, repairing(), 0))
	b.Until(`document.querySelector("progress")?.value === 4 && document.querySelector("[data-care-repair]").disabled`)
	g.push(t, g.replaced(t, repaired(), 0), g.replaced(t, web.CareList{Which: "repair", Local: true, Fine: repairs().Fine}, 0))
	b.Until(`document.getElementById("repair-run").textContent.includes("Still needs you") && !document.querySelector("progress")`)
	b.Until(`document.querySelector(".care-head").textContent.includes("Nothing to look at")`)
}

func newActivity(t *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/activity")
	fresh := activity().Days[0].Entries[0]
	fresh.ID, fresh.Text = "e10", "Scrolled down by 3 in Mousepad"
	u, err := g.r.Prepend(web.ActivityDayID("2026-11-30"), fresh, 10)
	if err != nil {
		t.Fatal(err)
	}
	g.push(t, u, u)
	b.Until(`document.querySelector("#activity-day-2026-11-30 > li").id === "activity-e10" && document.querySelectorAll("#activity-e10").length === 1`)
	g.mu.Lock()
	asked := strings.Join(g.asked, " ")
	g.mu.Unlock()
	if !strings.Contains(asked, "activity=") {
		t.Errorf("the socket was asked for %q", asked)
	}
	// A day that has no place yet brings the page anew.
	fresh.ID = "e11"
	g.set(func() {
		g.pages["activity"] = web.Activity{List: web.ActivityList{Days: []web.ActivityDay{{Date: "2026-12-01", Name: "Today", Entries: []web.ActivityEntry{fresh}}}}}
	})
	if u, err = g.r.Prepend(web.ActivityDayID("2026-12-01"), fresh, 11); err != nil {
		t.Fatal(err)
	}
	g.push(t, u)
	b.Until(`document.querySelector("#activity-day-2026-12-01 > #activity-e11")`)
	b.Go(g.URL + "/sample/activity-narrowed")
	if past := b.Eval(`"activity" in document.body.dataset`); past != "false" {
		t.Error("a page of the past is followed")
	}
}

func aMoment(_ *testing.T, b *webtest.Browser, g *gateway) {
	b.Go(g.URL + "/sample/activity")
	b.Do(chromedp.Click(chromedp.CSS(`#activity-e5`))) // anywhere on the row
	b.Until(`location.pathname === "/chats/c3" && location.hash === "#step-t0-s1"`)
	b.Go(g.URL + "/chats/c1#step-s4")
	b.Until(`(() => {
		const el = document.getElementById("step-s4"), at = el.getBoundingClientRect();
		return el.closest("details").open && el.matches(":target") && at.top > 0 && at.bottom < innerHeight;
	})()`)
}
