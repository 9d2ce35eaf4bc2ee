package main

import (
	"context"
	"flag"
	"io"
	"os"

	"conch/app/internal/running"
	"conch/gateway/state"
	"conch/mcp/wire"
)

// launcher is what another app starts: JSON-RPC on its standard input and output, and nothing else there. The program
// app/launcher does the same and is smaller; this one is for where only this program is.
func (c *call) launcher(ctx context.Context, args []string) error {
	// Whatever writes to standard output by mistake, a library or a panic, goes where a person may look.
	out := c.out
	os.Stdout = os.Stderr
	c.out = c.errs
	flags := flag.NewFlagSet("launcher", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the error says it
	client := flags.String("client", "", "")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 || !wire.ValidID(*client) {
		return &said{Say: "The launcher needs --client and the id of a paired app.", Next: "Connect the app in Conch, Settings, Other apps.", Code: exitUsage}
	}
	home, err := state.Home(c.getenv, os.UserHomeDir)
	if err != nil {
		return err
	}
	return running.Launch(ctx, home, *client, c.in, out, c.errs)
}
