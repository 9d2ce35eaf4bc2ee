package otherapps

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"conch/gateway/web"
	"conch/mcp/connect/apps"
)

// TestPaletteFindsEveryApp looks on a page for what ⌘K leads to.
func TestPaletteFindsEveryApp(t *testing.T) {
	page := html.UnescapeString(newRig(t).press("GET", "/settings", "", http.StatusOK, nil))
	_, list, _ := strings.Cut(page, `id="palette-list"`)
	if !strings.Contains(list, `href="`+web.PathApps+`"`) {
		t.Error("it doesn't lead to Other apps")
	}
	all := apps.All()
	if len(all) < 5 {
		t.Fatalf("only %d apps are known", len(all))
	}
	for _, a := range all {
		if !strings.Contains(list, ">"+a.Name+"<") || !strings.Contains(list, `href="`+web.PathApps+`#known-`+a.ID+`"`) {
			t.Errorf("it doesn't lead to %s", a.Name)
		}
	}
}
