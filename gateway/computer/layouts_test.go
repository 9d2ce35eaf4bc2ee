package computer

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/driver"
	"conch/driver/fake"
	"conch/gateway/computer/policy"
	"conch/gateway/guard"
	"conch/gateway/tool"
)

// layout writes a random desktop. secret is what the kept-away windows show: two layouts of one seed with
// different secrets differ in nothing else.
func layout(rng *rand.Rand, secret uint32) (screen string, kept map[driver.WindowID]bool) {
	var b strings.Builder
	b.WriteString("-- screen --\n")
	displays := 1 + rng.IntN(3)
	x, y := float64(rng.IntN(200)-150), float64(rng.IntN(150)-100)
	for i := range displays {
		w, h := 90+rng.IntN(130), 60+rng.IntN(110)
		main := ""
		if i == 0 {
			main = " main"
		}
		fmt.Fprintf(&b, "display d%d %dx%d @%v at %v,%v%s\n", i, w, h, []float64{1, 1.25, 1.5, 2}[rng.IntN(4)], x, y, main)
		if rng.IntN(2) == 0 {
			x += float64(w)
		} else {
			y += float64(h)
		}
	}
	kept = map[driver.WindowID]bool{}
	n := 2 + rng.IntN(7)
	focused := rng.IntN(n)
	for i := range n {
		id := driver.WindowID(i + 1)
		wx, wy := rng.IntN(360)-200, rng.IntN(300)-170
		ww, wh := 12+rng.IntN(160), 12+rng.IntN(130)
		app, opts := "org.example.App"+fmt.Sprint(i), ""
		title := "Window"
		if rng.IntN(3) == 0 {
			kept[id] = true
			switch rng.IntN(6) {
			case 0:
				app = "org.keepassxc.KeePassXC"
			case 1:
				opts = " class XTerm"
			case 2:
				opts = " exe /usr/bin/pinentry-gtk-2"
			case 3:
				app, title = "chromium", "PayPal - Chromium"
			case 4:
				opts = " role notification"
			case 5:
				app, title = "chromium", "Chats · Conch - Chromium"
			}
			title = strings.Replace(title, "Window", fmt.Sprintf("Window %x", secret), 1)
			opts += fmt.Sprintf(" color %06x", secret)
		} else if rng.IntN(8) == 0 {
			opts += " ours"
			if rng.IntN(2) == 0 {
				opts += " through"
			}
		}
		if i == focused && !strings.Contains(opts, "ours") && !strings.Contains(opts, "notification") {
			opts += " front"
		}
		fmt.Fprintf(&b, "window %d %q %s %d,%d %dx%d pid %d%s { field f%d %d,%d %dx%d text \"%x\" }\n", id, title, app, wx, wy, ww, wh, 100+i, opts,
			i, wx+2, wy+2, max(ww-4, 4), max(wh-4, 4), map[bool]uint32{true: secret, false: 7}[kept[id]])
	}
	return b.String(), kept
}

// On random layouts no pixel of a picture depends on what a kept-away window shows, and nothing that a model
// asks for arrives in one.
func TestRandomLayouts(t *testing.T) {
	n := 2000
	if testing.Short() {
		n = 200
	}
	const shards = 4
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			// In a bubble the waits of gestures take no time.
			synctest.Test(t, func(t *testing.T) { randomLayouts(t, shard*n/shards, n/shards) })
		})
	}
}

func randomLayouts(t *testing.T, from, n int) {
	const seed = 110
	covered, clicked, refused := 0, 0, 0
	for i := from; i < from+n; i++ {
		one := runLayout(t, rand.New(rand.NewPCG(seed, uint64(i))), 0xd01020)
		two := runLayout(t, rand.New(rand.NewPCG(seed, uint64(i))), 0x10d0e0)
		if len(one.pictures) != len(two.pictures) {
			t.Fatalf("layout %d: %d pictures and %d", i, len(one.pictures), len(two.pictures))
		}
		for j := range one.pictures {
			if !bytes.Equal(one.pictures[j], two.pictures[j]) {
				t.Fatalf("layout %d, picture %d shows something of a kept-away window:\n%s", i, j, one.screen)
			}
		}
		if strings.Join(one.said, "\n") != strings.Join(two.said, "\n") {
			t.Fatalf("layout %d: the sentences tell something of a kept-away window", i)
		}
		covered += one.covered
		clicked += one.clicked
		refused += one.refused
	}
	if covered < n/4 || clicked < n/4 || refused < n/20 {
		t.Errorf("of %d layouts %d had something covered, %d steps went ahead and %d were refused: too few to tell", n, covered, clicked, refused)
	}
	t.Logf("%d layouts: %d pictures with something covered, %d steps that went ahead, %d refused", n, covered, clicked, refused)
}

type ran struct {
	screen                    string
	pictures                  [][]byte
	said                      []string
	covered, clicked, refused int
}

func runLayout(t *testing.T, rng *rand.Rand, secret uint32) (out ran) {
	t.Helper()
	screen, kept := layout(rng, secret)
	out.screen = screen
	parsed, err := fake.Parse([]byte(screen))
	if err != nil {
		t.Fatalf("%v\n%s", err, screen)
	}
	d := parsed.Start()
	defer func() { _ = d.Close() }()
	p := &person{on: true, mode: guard.AskFirst, allowed: map[driver.AppID]bool{}, answers: once}
	c := New(Config{
		Driver: d, Asker: p, Settings: p, Chats: p, Desktop: policy.Linux,
		Quiet: time.Microsecond, First: time.Microsecond, Cap: time.Second, Limit: time.Hour,
	})
	c.pixels.to = func(p *driver.Picture) (tool.Picture, error) { // every pixel counts, and encoding takes long
		return tool.Picture{Data: bytes.Clone(p.Pix.Pix), W: p.W, H: p.H}, nil
	}
	say := func(args string) tool.Result {
		res := c.Run(context.Background(), tool.Call{Chat: "a", Turn: "a1", Args: []byte(args)})
		out.said = append(out.said, res.Text)
		if res.Picture != nil {
			out.pictures = append(out.pictures, res.Picture.Data)
		}
		if res.Failed {
			out.refused++
		} else {
			out.clicked++
		}
		return res
	}
	res := say(`{"action":"screenshot"}`)
	if res.Failed {
		t.Fatalf("%s\n%s", res.Text, screen)
	}
	out.clicked--
	if strings.Contains(res.Text, "can't see it") || strings.Contains(res.Text, "Painted over") {
		out.covered++
	}
	at := func() string { return fmt.Sprintf("[%d,%d]", rng.IntN(res.Picture.W), rng.IntN(res.Picture.H)) }
	for range 2 {
		switch rng.IntN(8) {
		case 0:
			say(`{"action":"type","text":"x"}`)
		case 1:
			say(`{"action":"left_click_drag","start_coordinate":` + at() + `,"coordinate":` + at() + `}`)
		case 2:
			say(`{"action":"scroll","scroll_direction":"down","coordinate":` + at() + `}`)
		case 3:
			say(`{"action":"key","text":"ctrl+a"}`)
		case 4:
			say(`{"action":"zoom","region":[0,0,` + fmt.Sprint(1+rng.IntN(res.Picture.W)) + `,` + fmt.Sprint(1+rng.IntN(res.Picture.H)) + `]}`)
		default:
			say(`{"action":"left_click","coordinate":` + at() + `}`)
		}
	}
	for _, e := range d.Events() {
		if kept[e.Window] {
			t.Fatalf("%v arrived in a kept-away window:\n%s", e, screen)
		}
	}
	c.EndTurn("a1")
	if held := d.Held(); len(held) > 0 {
		t.Fatalf("still held: %v", held)
	}
	return out
}
