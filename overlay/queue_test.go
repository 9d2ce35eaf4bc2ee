package overlay

import "testing"

func TestQueueKeepsOneOfAKind(t *testing.T) {
	var q []Event
	for _, e := range []Event{
		StopPressed{},
		ScreensChanged{Screens{Zoom: 1}},
		StopPressed{},
		KeyChanged{Held{Key: "a"}},
		ScreensChanged{Screens{Zoom: 2}},
		Lost{},
		KeyChanged{Held{Key: "b"}},
	} {
		q = Queue(q, e)
	}
	if len(q) != 4 {
		t.Fatalf("%d events wait: %v", len(q), q)
	}
	if s, ok := q[1].(ScreensChanged); !ok || s.Screens.Zoom != 2 {
		t.Errorf("the screens that wait are %v, want the newest", q[1])
	}
	if k, ok := q[2].(KeyChanged); !ok || k.Held.Key != "b" {
		t.Errorf("the key that waits is %v, want the newest", q[2])
	}
}
