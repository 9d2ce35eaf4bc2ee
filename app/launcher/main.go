// The launcher is what other apps start to reach Conch: `launcher --client <id>`, MCP on standard input and output. It
// is `conch launcher` in a program of its own, since apps start it often, and several at once: it is small and there at
// once. It does nothing else.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"conch/app/internal/running"
	"conch/gateway/state"
	"conch/mcp/wire"
)

func main() {
	out := os.Stdout
	os.Stdout = os.Stderr // nothing but the protocol is ever written there
	client, ok := clientOf(os.Args[1:])
	if !ok {
		fmt.Fprintln(os.Stderr, "conch: The launcher needs --client and the id of a paired app. Connect the app in Conch, Settings, Other apps.")
		os.Exit(2)
	}
	home, err := state.Home(os.Getenv, os.UserHomeDir)
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		err = running.Launch(ctx, home, client, os.Stdin, out, os.Stderr)
		stop()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "conch: %v\n", err)
		os.Exit(1)
	}
}

// clientOf reads the words that other apps' settings have: launcher --client <id>.
func clientOf(args []string) (id string, ok bool) {
	if len(args) > 0 && args[0] == "launcher" {
		args = args[1:]
	}
	if len(args) != 2 || args[0] != "--client" || !wire.ValidID(args[1]) {
		return "", false
	}
	return args[1], true
}
