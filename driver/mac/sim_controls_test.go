package mac

import (
	"fmt"
	"slices"

	"conch/driver"
)

// The controls of the simulated Mac, as its accessibility tells of them.

func (s *sim) hand(e element) element { s.open[e]++; return e }

func (s *sim) controlAt(pid int, at driver.ScreenPoint) (element, error) {
	defer s.lock()()
	if s.noNames != nil {
		return 0, s.noNames
	}
	for _, w := range s.wins {
		if w.pid == pid && w.spec.Button.Contains(at) {
			return s.hand(element(w.id)), nil
		}
		if w.pid == pid && w.spec.Field.Contains(at) {
			return s.hand(simField + element(w.id)), nil
		}
	}
	return 0, errGone
}

// What stands for an app, a window and a field of the desk, beside its button.
const (
	simField element = 1 << (20 + iota)
	simTop
	simApp
)

func (s *sim) wholeApp(pid int) (element, error) {
	defer s.lock()()
	return s.hand(simApp + element(pid)), nil
}

func (s *sim) focusedControl(pid int) (element, error) {
	defer s.lock()()
	if w := s.keyWin(); w != nil && w.pid == pid && !w.spec.Field.Empty() {
		return s.hand(simField + element(w.id)), nil
	}
	return 0, errGone
}

func (s *sim) windowOf(e element) (element, error) {
	defer s.lock()()
	for _, w := range s.wins {
		if e == element(w.id) || e == simField+element(w.id) {
			return s.hand(simTop + element(w.id)), nil
		}
	}
	return 0, errGone
}

func (s *sim) defaultButton(e element) (element, error) {
	defer s.lock()()
	for _, w := range s.wins {
		if e == simTop+element(w.id) && !w.spec.Button.Empty() {
			return s.hand(element(w.id)), nil
		}
	}
	return 0, errGone
}

// part describes what stands for a part of the desk. The lock is held.
func (s *sim) part(e element) (raw rawControl, kids []element, ok bool) {
	for _, w := range s.wins {
		raw = rawControl{pid: w.pid}
		switch e {
		case element(w.id):
			raw.role, raw.title, raw.bounds = "AXButton", "Press", w.spec.Button
			return raw, nil, true
		case simField + element(w.id):
			raw.role, raw.bounds, raw.secure = "AXTextField", w.spec.Field, w.spec.Secure
			if raw.secure {
				raw.subrole = "AXSecureTextField"
			}
			return raw, nil, true
		case simTop + element(w.id):
			raw.role, raw.subrole, raw.title, raw.bounds = "AXWindow", s.kind, w.spec.Title, w.spec.Bounds
			return raw, []element{element(w.id), simField + element(w.id)}, true
		}
		if e == simApp+element(w.pid) {
			raw.role = "AXApplication"
			kids = append(kids, simTop+element(w.id))
		}
	}
	return raw, kids, kids != nil
}

func (s *sim) frontWindow(int) (element, error) {
	defer s.lock()()
	if s.noNames != nil {
		return 0, s.noNames
	}
	if s.tree == nil {
		return 0, errGone
	}
	return s.hand(1), nil
}

func (s *sim) describe(e element) (rawControl, error) {
	defer s.lock()()
	if c, ok := s.controls[e]; ok {
		return c, nil
	}
	if raw, _, ok := s.part(e); ok {
		return raw, nil
	}
	return rawControl{}, errGone
}

func (s *sim) children(e element, most int) ([]element, error) {
	defer s.lock()()
	kids := s.tree[e]
	if _, more, ok := s.part(e); ok && s.tree == nil {
		kids = more
	}
	kids = slices.Clone(kids[:min(most, len(kids))])
	for _, k := range kids {
		s.hand(k)
	}
	return kids, nil
}

func (s *sim) letGo(es ...element) {
	defer s.lock()()
	for _, e := range es {
		if s.open[e]--; s.open[e] < 0 {
			panic(fmt.Sprint("element ", e, " is given back once too often"))
		}
	}
}
