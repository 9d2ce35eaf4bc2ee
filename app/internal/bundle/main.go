// Command bundle writes what Conch.app has beside its program: its icon.
//
//	bundle -icon Conch.icns
//
// It draws and copies; it signs nothing and builds no program: the Makefile does.
package main

import (
	"flag"
	"fmt"
	"os"

	"conch/app/internal/shellicon"
)

func main() {
	icon := flag.String("icon", "", "where to write the app's icon")
	flag.Parse()
	if err := run(*icon); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(icon string) error {
	if icon == "" {
		return fmt.Errorf("nothing to do: give -icon")
	}
	data, err := shellicon.ICNS()
	if err != nil {
		return err
	}
	return os.WriteFile(icon, data, 0o644)
}
