package wire

import (
	"fmt"
	"log/slog"
)

const hidden = "[hidden]"

// Secret is a key. It prints as "[hidden]" wherever it is printed; Reveal is for the one header that it goes into.
type Secret string

// Reveal is the key itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the key.
func (Secret) String() string { return hidden }

// GoString hides the key from %#v.
func (Secret) GoString() string { return hidden }

// Format hides the key from every verb.
func (Secret) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(hidden)) }

// LogValue hides the key from logs.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the key from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
