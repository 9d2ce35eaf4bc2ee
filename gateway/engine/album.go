package engine

// How many pictures of a turn a transcript holds. Each request pays for every picture in it again, and a model
// needs no more than the newest few; taking them out in batches keeps what comes before them the same from
// request to request, so that the provider's cache is used.
const (
	KeepPictures = 3
	PictureBatch = 8
)

// Album says which pictures of one turn are in the transcript. Its zero value never takes one out. It is for one
// goroutine.
type Album struct {
	// Forgets says that pictures may be taken out; Model.Forgets.
	Forgets bool

	added, first int
}

// Add counts one more picture and returns its number.
func (a *Album) Add() int {
	a.added++
	if n := a.added - a.first; a.Forgets && n > KeepPictures+PictureBatch {
		a.first = a.added - KeepPictures
	}
	return a.added - 1
}

// Kept says whether a picture is still in the transcript. Whoever writes the transcript puts Gone in place of one
// that isn't.
func (a *Album) Kept(n int) bool { return n >= a.first && n < a.added }

// Gone stands where a picture was.
const Gone = "[An older picture was here.]"

// Unchanged stands where a picture would be that shows what the one before it shows, while that one is there.
const Unchanged = "The screen looks as in the last picture."
