package main

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"conch/gateway/state"
)

// openName is the file by which a browser is brought to a page with a one-time code. The code must not be
// on a command line, which every account on the computer can read; the file is this person's alone.
const openName = "here/open.html"

var openPage = template.Must(template.New("open").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={{.}}">
<title>Opening · Conch</title>
<p>Opening Conch. If nothing happens, <a href="{{.}}">press here</a>.</p>
</html>
`))

// pages are the pages that can be opened by a word.
var pages = map[string]string{
	"": "/", "chat": "/", "home": "/", "settings": "/settings", "computer": "/settings/computer", "activity": "/activity",
	"checkup": "/settings/checkup", "repair": "/settings/repair", "apps": "/settings/apps",
}

// pagePath reads the word for a page, or the path of one.
func pagePath(word string) (string, error) {
	if p, ok := pages[word]; ok {
		return p, nil
	}
	if strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "//") && !strings.ContainsAny(word, "\\#\r\n\t ") {
		return word, nil
	}
	return "", &said{
		Say: fmt.Sprintf("There's no page “%s”.", word), Next: "Say chat, settings, computer, apps, activity, checkup or repair.", Code: exitUsage,
	}
}

// pageURL is the address that brings a browser with no proof yet to path. Browsers know the pages as
// localhost, so that is the name that their cookie belongs to.
func pageURL(port int, path, code string) string {
	return fmt.Sprintf("http://localhost:%d%s#here=%s", port, path, code)
}

// writeOpenPage writes the file that leads a browser to url, and returns its path.
func writeOpenPage(dir *state.Dir, url string) (string, error) {
	var b strings.Builder
	// The address is ours, from a port and a checked path, so it may stand in an attribute as it is.
	if err := openPage.Execute(&b, template.URL(url)); err != nil { //nolint:gosec // not from outside: see above
		return "", fmt.Errorf("write the page that opens Conch: %w", err)
	}
	if err := dir.Put(openName, []byte(b.String())); err != nil {
		return "", err
	}
	return dir.Path(openName), nil
}

// errNoBrowser says that this session has nothing to show a page with.
var errNoBrowser = errors.New("no browser can be opened from here")

// browse opens a file in the person's browser. A nil error says that the opener was started and did not
// fail at once; whether a page came up is seen only when its code is redeemed.
func (c *call) browse(ctx context.Context, file string) error {
	opener := browserOpener(c.getenv)
	if opener == "" {
		return errNoBrowser
	}
	cmd := exec.Command(opener, file)                    //nolint:gosec,noctx // our own two words; the browser outlives this command
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl+C in our terminal is not meant for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", errNoBrowser, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// Some openers stay for as long as the browser does, others end at once.
	patience := time.NewTimer(openerPatience)
	defer patience.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errNoBrowser, opener, err)
		}
	case <-patience.C:
	case <-ctx.Done():
	}
	return nil
}

const openerPatience = 2 * time.Second
