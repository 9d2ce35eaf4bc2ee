package memory

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSearch(t *testing.T) {
	r, ctx := open(t), t.Context()
	for _, text := range []string{
		"Sister Zoë lives in São Paulo", "Lives in Łódź, Poland", "Has a meeting every Tuesday with the Tuesday team, on Tuesday", "Has lunch on Tuesday with a friend from the office and then goes home",
		"東京に住んでいる", "Любит зелёный чай", "Anna's birthday is 3 May", "Earns 5000 € a month", "Drinks ☕ at 8", "Uses C++ and Go",
	} {
		r.ok(r.Add(ctx, text))
	}
	r.finds("zoe", "Sister Zoë lives in São Paulo")
	r.finds("SAO pau", "Sister Zoë lives in São Paulo")
	r.finds("lodz", "Lives in Łódź, Poland")
	r.finds("зеленый", "Любит зелёный чай")
	r.finds("зел", "Любит зелёный чай")
	r.finds("anna", "Anna's birthday is 3 May")
	r.finds("Anna’s", "Anna's birthday is 3 May")
	r.finds("3 may", "Anna's birthday is 3 May")
	r.finds("€", "Earns 5000 € a month")
	r.finds("☕", "Drinks ☕ at 8")
	r.finds("東京", "東京に住んでいる")
	r.finds("住んで", "東京に住んでいる")
	r.finds("大阪")
	r.finds("...")
	r.finds(`"`)
	r.finds("nothing")
	// The one that says it more, in fewer words, is first; and where no fact has all the words, some do.
	r.finds("tuesday", "Has a meeting every Tuesday with the Tuesday team, on Tuesday", "Has lunch on Tuesday with a friend from the office and then goes home")
	r.finds("zoe poland", "Lives in Łódź, Poland", "Sister Zoë lives in São Paulo")
	if facts, err := r.Search(ctx, "", 3); err != nil || len(facts) != 3 || facts[0].Text != "Uses C++ and Go" {
		t.Errorf("the newest: %v, %v", facts, err)
	}
	if facts, err := r.Search(ctx, strings.Repeat("tuesday ", 1000), 3); err != nil || len(facts) != 2 {
		t.Errorf("a long search: %v, %v", facts, err)
	}
}

// FuzzSearch looks for anything: it is never an error of SQL, and what waits is never found.
func FuzzSearch(f *testing.F) {
	r := open(f)
	r.ok(r.Add(context.Background(), "Likes green tea NEAR words"))
	r.ok(r.Suggest(context.Background(), "Waits for tea", chatSource))
	for _, s := range []string{"tea", `tea" OR "waits`, "NEAR(tea green)", "words : tea", "-tea", "tea*", "^tea", "{words}: tea", "\x00tea", "waits\xff", "茶", "') OR 1=1 --"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		facts, err := r.Search(context.Background(), query, 5)
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		for _, fact := range facts {
			if fact.State != Kept || strings.HasPrefix(fact.Text, "Waits") {
				t.Fatalf("%q finds %+v", query, fact)
			}
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"Likes tea", "a\u200bb", "the user's name", "\xff", strings.Repeat("é", 301)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := clean(text)
		if err != nil {
			return
		}
		if utf8.RuneCountInString(got) > TextMax || sameness(got) == "" {
			t.Fatalf("%q became %q, the same as %q", text, got, sameness(got))
		}
		again, err := clean(got)
		if err != nil || sameness(again) != sameness(got) {
			t.Fatalf("%q became %q, then %q: %v", text, got, again, err)
		}
	})
}

var vocabulary = strings.Fields(`tea coffee train plane window aisle sister brother mother meeting monday tuesday morning evening oslo paris
	tokyo lodz prefers likes avoids lives works speaks danish spanish music jazz running cycling garden office deadline report invoice`)

// full fills a memory to its limit; the seed is fixed.
func full(b *testing.B) *rig {
	r, rnd := open(b), rand.New(rand.NewPCG(1, 2))
	err := r.tx(context.Background(), func(tx *sql.Tx) error {
		for i := range KeptMax {
			words := []string{fmt.Sprint("Fact", i)}
			for range 8 {
				words = append(words, vocabulary[rnd.IntN(len(vocabulary))])
			}
			if err := r.insert(context.Background(), tx, strings.Join(words, " "), Kept, chatSource); err != nil {
				return err
			}
		}
		return nil
	})
	r.ok(err)
	r.refuses(r.Add(context.Background(), "one too many"), Full)
	return r
}

func BenchmarkSearch10000(b *testing.B) {
	r := full(b)
	for name, query := range map[string]string{"one": "fact5123", "two": "oslo train", "prefix": "pre", "letter": "t", "any": "oslo nothing like this jazz", "newest": ""} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				facts, err := r.Search(context.Background(), query, 10)
				if err != nil || len(facts) == 0 {
					b.Fatal(facts, err)
				}
			}
		})
	}
}

func BenchmarkEditOf10000(b *testing.B) {
	r := full(b)
	newest, err := r.List(context.Background(), Kept, 1)
	r.ok(err)
	for i := 0; b.Loop(); i++ {
		r.ok(r.Edit(context.Background(), newest[0].ID, fmt.Sprint("Edited ", i)))
	}
}
