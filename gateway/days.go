package gateway

import (
	"strconv"
	"time"

	"conch/gateway/chat"
)

// dayName is how a person calls the day of t.
func dayName(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	days := int(midnight(now).Sub(midnight(t)).Round(24*time.Hour) / (24 * time.Hour))
	switch {
	case days <= 0:
		return "Today"
	case days == 1:
		return "Yesterday"
	case days < 7:
		return t.Weekday().String()
	case t.Year() == now.Year():
		return t.Format("2 January")
	default:
		return t.Format("2 January 2006")
	}
}

func midnight(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// seqID is an element id for an event that has none of its own.
func seqID(e chat.Event) string { return "e" + strconv.FormatUint(e.Seq, 10) }
