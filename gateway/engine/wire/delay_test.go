package wire

import (
	"testing"
	"time"
)

func TestDelay(t *testing.T) {
	for body, want := range map[string]time.Duration{
		`{"error":{"code":429,"details":[{"@type":"a"},7,{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`: 34500 * time.Millisecond,
		`{"error":{"details":[{"retryDelay":"-3s"},{"retryDelay":"soon"}]}}`:                                                           0,
		`{"error":{"details":[{"retryDelay":"999999h"}]}}`:                                                                             24 * time.Hour,
		`{"error":{"details":{"retryDelay":"3s"}}}`:                                                                                    0,
		`{"error":{"details":[{"retryDelay":3}]}}`:                                                                                     0,
	} {
		if got := ParseFault([]byte(body)).After; got != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
}
