package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// The assistant is an app as Claude Desktop is one: it speaks 2025-11-25, gives up on a call after a minute, starts its
// launcher twice and kills the first at once. It is a program of its own, inside the test's binary, and tells what it
// was answered on its standard output, one line of JSON for each.

const (
	assistantEnv   = "CONCH_E2E_ASSISTANT" // has the test's binary be the assistant: "<launcher> <id>"
	assistantLimit = time.Minute           // for one call; not reset by progress
	assistantKills = 150 * time.Millisecond
	// assistantTries is how often it makes a call that it is told to make again.
	assistantTries = 4
)

// heard is what the assistant was answered.
type heard struct {
	Call    string  `json:"call"`
	Seconds float64 `json:"seconds"`
	Text    string  `json:"text"`
	Picture bool    `json:"picture"`
	Failed  bool    `json:"failed"`
}

// assistantMain is the assistant's program. It comes back at once where the test's binary is to run tests.
func assistantMain() {
	word := strings.Fields(os.Getenv(assistantEnv))
	if len(word) == 0 {
		return
	}
	if err := assist(word[0], word[1], json.NewEncoder(os.Stdout)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func assist(launcher, id string, out *json.Encoder) error {
	first, err := launch(launcher, id)
	if err != nil {
		return err
	}
	if err := first.send(0, "initialize", helloOf); err != nil {
		return err
	}
	time.Sleep(assistantKills)
	if err := first.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = first.cmd.Wait()
	c, err := launch(launcher, id)
	if err != nil {
		return err
	}
	for _, one := range []struct{ call, method, params string }{
		{"initialize", "initialize", helloOf},
		{"list", "tools/list", "{}"},
		{"open", "tools/call", `{"name":"computer","arguments":{"action":"open_app","text":"Mousepad"}}`},
		{"type", "tools/call", `{"name":"computer","arguments":{"action":"type","text":"` + greeting + `"}}`},
		{"look", "tools/call", `{"name":"computer","arguments":{"action":"screenshot"}}`},
	} {
		for range assistantTries {
			h, err := c.ask(one.method, one.params)
			if err != nil {
				return fmt.Errorf("%s: %w", one.call, err)
			}
			h.Call = one.call
			if err := out.Encode(h); err != nil {
				return err
			}
			if one.method == "initialize" {
				err = c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			}
			if err != nil {
				return err
			}
			if !strings.Contains(h.Text, "make exactly the same call again") {
				break
			}
		}
	}
	return errors.Join(c.in.Close(), c.cmd.Wait())
}

const helloOf = `{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"clientInfo":{"name":"claude-ai","version":"0.1.0"}}`

// launched is a launcher that runs.
type launched struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte
	id    int
}

func launch(launcher, id string) (*launched, error) {
	l := &launched{cmd: exec.Command(launcher, "--client", id), lines: make(chan []byte, 64)}
	l.cmd.Stderr = os.Stderr
	in, err := l.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	l.in = in
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(l.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			l.lines <- line
		}
	}()
	return l, nil
}

func (l *launched) write(line string) error {
	_, err := io.WriteString(l.in, line+"\n")
	return err
}

func (l *launched) send(id int, method, params string) error {
	return l.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

// ask makes a request and waits for its answer, for as long as such an app does.
func (l *launched) ask(method, params string) (heard, error) {
	l.id++
	begin := time.Now()
	if err := l.send(l.id, method, params); err != nil {
		return heard{}, err
	}
	late := time.NewTimer(assistantLimit)
	defer late.Stop()
	for {
		select {
		case line, ok := <-l.lines:
			if !ok {
				return heard{}, errors.New("the launcher ended")
			}
			h, mine, err := l.read(line)
			if err != nil || mine {
				h.Seconds = time.Since(begin).Seconds()
				return h, err
			}
		case <-late.C:
			return heard{}, fmt.Errorf("no answer within %s", assistantLimit)
		}
	}
}

// read reads a message; mine says that it answers what was asked last.
func (l *launched) read(data []byte) (h heard, mine bool, err error) {
	var m struct {
		JSONRPC string `json:"jsonrpc"`
		ID      *int   `json:"id"`
		Result  *struct {
			Content []struct{ Type, Text, Data string } `json:"content"`
			IsError bool                                `json:"isError"`
		} `json:"result"`
		Error *struct{ Message string } `json:"error"`
	}
	if err := json.Unmarshal(data, &m); err != nil || m.JSONRPC != "2.0" {
		return h, false, fmt.Errorf("on standard output: %.200q", data)
	}
	if m.ID == nil || *m.ID != l.id {
		return h, false, nil
	}
	if m.Error != nil {
		return heard{Text: m.Error.Message, Failed: true}, true, nil
	}
	h.Failed = m.Result.IsError
	for _, c := range m.Result.Content {
		h.Text += c.Text
		h.Picture = h.Picture || c.Type == "image" && len(c.Data) > 0
	}
	if m.Result.Content == nil {
		h.Text = string(data)
	}
	return h, true, nil
}
