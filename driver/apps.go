package driver

import (
	"slices"
	"strings"

	"conch/driver/near"
)

// AmbiguousAppError says that a name fits several apps equally well.
type AmbiguousAppError struct {
	Asked string
	Fits  []App // at least two
}

func (e *AmbiguousAppError) Error() string {
	var names []string
	for _, a := range e.Fits {
		names = append(names, a.Name+" ("+string(a.ID)+")")
	}
	return "“" + e.Asked + "” can be more than one app: " + strings.Join(names, ", ")
}

// NoAppError says that nothing is called what was asked for, and what is nearly called that.
type NoAppError struct {
	Asked   string
	Nearest App // the zero value when nothing is near
}

func (e *NoAppError) Error() string {
	if e.Nearest.Name == "" {
		return "no app is called “" + e.Asked + "”"
	}
	return "no app is called “" + e.Asked + "”; one is called “" + e.Nearest.Name + "”"
}

// Is says that a NoAppError is an ErrNoApp.
func (e *NoAppError) Is(target error) bool { return target == ErrNoApp }

// nearest returns the app one of whose names differs from want in the fewest letters, where that is few enough
// for a slip.
func nearest(apps []App, want string) App {
	var best App
	least := 2 + len(want)/8
	for _, a := range apps {
		for _, n := range append([]string{a.Name}, a.Also...) {
			if d := near.Distance([]rune(want), []rune(strings.ToLower(n))); d < least {
				best, least = a, d
			}
		}
	}
	return best
}

// MatchApp finds the app that a person or a model means, whatever the case: by id, id's last part or name
// ("org.xfce.mousepad", "mousepad", "Mousepad"), then by what else it is called ("Text Editor"), then by how
// one of its names begins, then by what one contains. Within the first of these steps that fits anything it
// must fit one app only, else the error is an *AmbiguousAppError; when nothing fits it is a *NoAppError, which
// is ErrNoApp.
func MatchApp(apps []App, asked string) (App, error) {
	want := strings.ToLower(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(asked), ".desktop")))
	if want == "" {
		return App{}, &NoAppError{Asked: asked}
	}
	own := func(a App) []string {
		id := strings.ToLower(string(a.ID))
		return []string{id, id[strings.LastIndexByte(id, '.')+1:], strings.ToLower(a.Name)}
	}
	also := func(a App) []string {
		var out []string
		for _, n := range a.Also {
			out = append(out, strings.ToLower(n))
		}
		return out
	}
	is := func(n string) bool { return n == want }
	begins := func(n string) bool { return strings.HasPrefix(n, want) }
	within := func(n string) bool { return strings.Contains(n, want) }
	for _, step := range []struct {
		names func(App) []string
		fits  func(string) bool
	}{
		{func(a App) []string { return own(a)[:1] }, is},
		{own, is},
		{also, is},
		{own, begins},
		{also, begins},
		{own, within},
		{also, within},
	} {
		var fits []App
		for _, a := range apps {
			if slices.ContainsFunc(step.names(a), step.fits) {
				fits = append(fits, a)
			}
		}
		switch len(fits) {
		case 0:
		case 1:
			return fits[0], nil
		default:
			return App{}, &AmbiguousAppError{Asked: asked, Fits: fits}
		}
	}
	return App{}, &NoAppError{Asked: asked, Nearest: nearest(apps, want)}
}
