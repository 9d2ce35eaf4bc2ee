package chat

import "testing"

// What a chat and its last turn took are summed up apart from each other, and what nobody knows the price of is told.
func TestSpent(t *testing.T) {
	f := newFixture(t, nil)
	ctx := t.Context()
	one, err := f.store.NewChat(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []Usage{
		{Chat: one.ID, Turn: "t1", Model: "m", In: 10, Out: 1, Dollars: 0.5, Known: true},
		{Chat: one.ID, Turn: "t2", Model: "m", In: 20, Out: 2, Dollars: 0.25, Known: true},
		{Chat: one.ID, Turn: "t2", Model: "odd", In: 30, Out: 3},
	} {
		if err := f.store.Use(ctx, u); err != nil {
			t.Fatal(err)
		}
	}
	for what, c := range map[string]struct{ got, want Spent }{
		"the chat":      {spent(f.store.SpentIn(ctx, one.ID, ""))(t), Spent{In: 60, Out: 6, Dollars: 0.75, Requests: 3, Unknown: 1}},
		"a turn":        {spent(f.store.SpentIn(ctx, one.ID, "t1"))(t), Spent{In: 10, Out: 1, Dollars: 0.5, Requests: 1}},
		"the last turn": {spent(f.store.SpentLast(ctx, one.ID))(t), Spent{In: 50, Out: 5, Dollars: 0.25, Requests: 2, Unknown: 1}},
		"no chat":       {spent(f.store.SpentLast(ctx, "none"))(t), Spent{}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", what, c.got, c.want)
		}
	}
}

func spent(s Spent, err error) func(*testing.T) Spent {
	return func(t *testing.T) Spent {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}
