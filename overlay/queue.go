package overlay

// Queue adds e to the events of a platform that wait to be read. Several presses of Stop say no more than one,
// and only the newest screens and the newest key count.
func Queue(waiting []Event, e Event) []Event {
	for i, w := range waiting {
		switch e.(type) {
		case StopPressed:
			if _, same := w.(StopPressed); same {
				return waiting
			}
		case ScreensChanged:
			if _, same := w.(ScreensChanged); same {
				waiting[i] = e
				return waiting
			}
		case KeyChanged:
			if _, same := w.(KeyChanged); same {
				waiting[i] = e
				return waiting
			}
		}
	}
	return append(waiting, e)
}
