package overlay

// Queue adds e to the events of a platform that wait to be read. Several presses of Stop say no more than one,
// and only the newest screens and the newest key count.
func Queue(waiting []Event, e Event) []Event {
	for i, w := range waiting {
		if sayTheSame(w, e) {
			waiting[i] = e
			return waiting
		}
	}
	return append(waiting, e)
}

// sayTheSame says whether the newer of two events makes the older one pointless.
func sayTheSame(older, newer Event) bool {
	if _, stop := newer.(StopPressed); stop {
		_, same := older.(StopPressed)
		return same
	}
	if _, screens := newer.(ScreensChanged); screens {
		_, same := older.(ScreensChanged)
		return same
	}
	if _, key := newer.(KeyChanged); key {
		_, same := older.(KeyChanged)
		return same
	}
	return false
}
