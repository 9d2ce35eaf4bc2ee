package anthropic_test

import (
	"net/http"
	"testing"

	"conch/gateway/computer"
	"conch/gateway/engine/anthropic/anthropictest"
	"conch/gateway/tool"
)

// TestTokens: sixty steps take at most a third of what the plain loop with the same tool takes.
func TestTokens(t *testing.T) {
	const id = "claude-opus-4-8"
	general := new(computer.Computer).Tool()
	for native, tool := range map[string]*tool.Tool{"": &general, anthropictest.Toolset: nil} {
		ours, plain := tokens(t, id, native), plainTokens(t, id, tool)
		ratio, paid := float64(ours.all)/float64(plain.all), ours.paid/plain.paid
		t.Logf("computer %q: %d tokens, the plain loop %d: %.3f of them, %.3f of what is paid", native, ours.all, plain.all, ratio, paid)
		if ratio > 1.0/3 || paid > 0.1 {
			t.Errorf("computer %q: %.3f of the plain loop's tokens, %.3f of what is paid", native, ratio, paid)
		}
	}
}

// BenchmarkTurnTokensVsPlain reports the same as numbers.
func BenchmarkTurnTokensVsPlain(b *testing.B) {
	general := new(computer.Computer).Tool()
	for b.Loop() {
		ours, plain := tokens(b, "claude-opus-4-8", ""), plainTokens(b, "claude-opus-4-8", &general)
		b.ReportMetric(float64(ours.all)/float64(plain.all), "of-plain")
		b.ReportMetric(ours.paid/plain.paid, "of-plain-paid")
		b.ReportMetric(float64(ours.all), "tokens")
	}
}

const longTurn = 60

// spent is what a turn took.
type spent struct {
	all  int
	paid float64 // in tokens that are neither read from the cache nor written to it
}

func spentOf(asked []anthropictest.Asked) (s spent) {
	for _, a := range asked {
		s.all += a.In()
		s.paid += float64(a.Fresh) + float64(a.Read)*0.1 + float64(a.Wrote)*1.25
	}
	return s
}

func tokens(t testing.TB, id, native string) spent {
	s := anthropictest.New(t, id, clicks(longTurn))
	e := start(t, s)
	model := modelOf(t, e, id)
	model.Computer = native
	if d := drive(t, e, turnOf(model), screens()); d.err != nil || len(d.calls) != longTurn {
		t.Fatal(d.err)
	}
	return spentOf(s.Asked())
}

func plainTokens(t testing.TB, id string, with *tool.Tool) spent {
	s := anthropictest.New(t, id, clicks(longTurn))
	n := 0
	anthropictest.Plain(t, s, "You are Conch.", "Do it.", with, func() tool.Result {
		n++
		return tool.Result{Text: "Done. The picture is 1280 by 800 pixels.", Picture: screen(n)}
	})
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	asked := s.Asked()
	if last := asked[len(asked)-1]; len(asked) != longTurn+1 || last.Pictures != longTurn || last.Read > 0 {
		t.Fatalf("the plain loop isn't one: %d requests, %d pictures", len(asked), last.Pictures)
	}
	return spentOf(asked)
}
