//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"conch/app/internal/npm"
	"conch/app/internal/trial"
	"conch/driver/x11/xserver"
	"conch/gateway/chat"
	"conch/mcp/pair"
	"conch/mcp/wire"
)

const launcherTimes = 9

// mcpRemote is what an app that can't speak HTTP starts elsewhere.
const mcpRemote = "npm:mcp-remote@0.15.1"

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// benchLauncher measures from the start of the launcher to its first answer, and the same for the way that others have,
// a proxy in Node, at the same door.
func benchLauncher(ctx context.Context, r *report) (err error) {
	s, err := xserver.Start(ctx, xserver.Options{WindowManager: "openbox"})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	dir, err := os.MkdirTemp("", "conch-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin, err := trial.Build(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := trial.BuildLauncher(ctx, dir); err != nil {
		return err
	}
	home := filepath.Join(dir, "home")
	folder := filepath.Join(home, ".conch")
	near, _, err := trial.Pair(folder, pair.Client{Name: "Near", Kind: pair.Launcher, Scopes: []string{pair.MemoryRead}, Mode: chat.Ask})
	if err != nil {
		return err
	}
	_, key, err := trial.Pair(folder, pair.Client{Name: "Far", Kind: pair.HTTP, Scopes: []string{pair.MemoryRead}, Mode: chat.Ask})
	if err != nil {
		return err
	}
	c, err := trial.Start(ctx, trial.Options{Bin: bin, Home: folder, Desktop: s})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()

	ours := func() *exec.Cmd {
		cmd := exec.CommandContext(ctx, filepath.Join(folder, "mcp", "launcher"), "--client", near.ID)
		cmd.Env = []string{"HOME=" + home}
		return cmd
	}
	tools, missing := npm.Bring(ctx, map[string]string{"mcp-remote": mcpRemote})
	theirs := func() *exec.Cmd {
		cmd := tools.Script(ctx, home, filepath.Join(tools.Dir, "mcp-remote", "dist", "proxy.js"), c.URL+wire.PathDoor, "--header", "Authorization:${CONCH_KEY}")
		cmd.Env = append(cmd.Env, "CONCH_KEY=Bearer "+string(key))
		return cmd
	}
	var launcher, node, rss []float64
	for range launcherTimes {
		took, mb, err := firstAnswer(ours())
		if err != nil {
			return err
		}
		launcher, rss = append(launcher, took), append(rss, mb)
		if missing != nil {
			continue
		}
		if took, _, err = firstAnswer(theirs()); err != nil {
			missing = err
			continue
		}
		node = append(node, took)
	}
	r.say("the launcher %v ms, mcp-remote %v ms", launcher, node)
	r.figure("launcher_ms", median(launcher), "ms")
	if missing == nil {
		r.figure("launcher_vs_node", median(node)/median(launcher), "times")
	} else {
		r.say("there is no launcher_vs_node: %v", missing)
	}
	r.figure("launcher_rss_mb", quantile(rss, 1), "MB")
	return nil
}

// firstAnswer starts a program that speaks MCP on its standard input and output, shakes hands, and ends it. It returns
// how long that took, and the memory that the program had then.
func firstAnswer(cmd *exec.Cmd) (took, rss float64, err error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Process.Kill() // a proxy may stay for its own reasons
		_ = cmd.Wait()
	}()
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if _, err := in.Write([]byte(initialize)); err != nil {
		return 0, 0, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	took = ms(time.Since(start))
	if err != nil || !strings.Contains(line, `"protocolVersion"`) {
		return 0, 0, fmt.Errorf("%s answers %.200q (%w)", filepath.Base(cmd.Path), line, errors.Join(err, errors.New("no handshake")))
	}
	rss, err = rssOf(cmd.Process.Pid)
	return took, rss, err
}
