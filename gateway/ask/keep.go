package ask

import "fmt"

// keep runs a question's Keep. A panic in it must not leave the desk locked, nor count as stored.
func keep(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("keep an answer: panic: %v", p)
		}
	}()
	return f()
}
