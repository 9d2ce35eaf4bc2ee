package web_test

import (
	"testing"

	"conch/gateway/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
