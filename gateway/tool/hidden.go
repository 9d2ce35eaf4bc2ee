package tool

import "log/slog"

const hidden = "[hidden]"

// LogValue keeps what a model wrote out of logs: it may be text that is typed.
func (c Call) LogValue() slog.Value {
	return slog.GroupValue(slog.String("chat", c.Chat), slog.String("turn", c.Turn), slog.String("args", hidden))
}

// LogValue keeps what a tool answered out of logs: it may be what is on the screen.
func (r Result) LogValue() slog.Value {
	return slog.GroupValue(slog.Bool("failed", r.Failed), slog.Bool("picture", r.Picture != nil), slog.String("text", hidden))
}

// LogValue keeps pixels out of logs.
func (p *Picture) LogValue() slog.Value {
	if p == nil {
		return slog.StringValue("none")
	}
	return slog.GroupValue(slog.Int("w", p.W), slog.Int("h", p.H), slog.String("data", hidden))
}
