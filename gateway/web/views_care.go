package web

import "strconv"

// Settings → Security checkup and Settings → Repair.
const (
	PathCheckup = "/settings/checkup"
	PathRepair  = "/settings/repair"
)

// Checkup is the security checkup.
type Checkup struct {
	Frame
	List CareList
}

// Repair is the page that puts things right.
type Repair struct {
	Frame
	Run  RepairRun
	List CareList
}

// CareLevel says how good what was found is.
type CareLevel string

// The levels.
const (
	CareOK   CareLevel = "ok"
	CareInfo CareLevel = "info"
	CareWarn CareLevel = "warn"
	CareBad  CareLevel = "bad"
)

// CareList is what a list of checks found, "care-checkup" or "care-repair".
type CareList struct {
	Which string // checkup, repair
	Wrong []CareCheck
	Know  []CareCheck
	Fine  []CareCheck
	Local bool // the person is at this computer; elsewhere nothing can be pressed
}

// CareCheck is one check.
type CareCheck struct {
	ID, Title, Say string
	Level          CareLevel
	Fix            *CareFix // nil: nothing to press
	Rows           []CareRow
	Open           string // the page where more can be done; may be empty
}

// CareRow is one of the things that a check is about.
type CareRow struct {
	Title, Say string
	Fix        *CareFix
}

// CareFix is a button that puts one thing right.
type CareFix struct{ ID, Title string }

// RepairRun is the repair that runs or ran last, "repair-run".
type RepairRun struct {
	Local       bool
	Running     bool
	Done, Total int
	Now         string // the check that is looked at
	Ended       bool
	Fixed       []string // what was put right, a sentence each
	Left        []CareLeft
}

// CareLeft is what could not be put right.
type CareLeft struct{ Title, Say string }

func (Checkup) page() string   { return "checkup" }
func (Repair) page() string    { return "repair" }
func (Checkup) title() string  { return "Security checkup" }
func (Repair) title() string   { return "Repair" }
func (c Checkup) frame() Frame { return c.Frame }
func (r Repair) frame() Frame  { return r.Frame }

func (CareList) part() string  { return "care-list" }
func (RepairRun) part() string { return "repair-run" }

// ElementID is the id of the element that the part renders to.
func (l CareList) ElementID() string { return "care-" + l.Which }
func (RepairRun) ElementID() string  { return "repair-run" }

// The methods below are for the templates.

// Headline is how it stands, in one line.
func (l CareList) Headline() string {
	switch n := len(l.Wrong); {
	case n == 1:
		return "One thing to look at"
	case n > 1:
		return count(n, "thing") + " to look at"
	}
	return "Nothing to look at"
}

// Icon is the icon of how it stands.
func (l CareList) Icon() string {
	if len(l.Wrong) == 0 {
		return "check"
	}
	return "warning"
}

// FineLine says how many checks found nothing.
func (l CareList) FineLine() string {
	if len(l.Fine) == 1 {
		return "1 more is fine"
	}
	return strconv.Itoa(len(l.Fine)) + " more are fine"
}

// Icon is the icon of its level.
func (c CareCheck) Icon() string {
	switch c.Level {
	case CareOK:
		return "check"
	case CareInfo:
		return "info"
	}
	return "warning"
}

// Word says how good it is, where a reader can't see the icon.
func (c CareCheck) Word() string {
	switch c.Level {
	case CareOK:
		return "Fine"
	case CareInfo:
		return "Good to know"
	case CareWarn:
		return "Look at this"
	}
	return "Not right"
}
