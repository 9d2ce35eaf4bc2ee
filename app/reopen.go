package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
)

// reopenScript waits until a process has ended, half a second more, then opens the app again. Words come to it
// as arguments, so none of them is read as a command. It gives up after half a minute: Conch was told to quit
// and didn't.
const reopenScript = `n=0
while kill -0 "$1" 2>/dev/null; do
  n=$((n+1))
  [ "$n" -lt 150 ] || exit 1
  sleep 0.2
done
sleep 0.5
exec "$2" "$3"`

// reopenAfter starts a shell of its own that opens app with opener once the process pid has ended.
func reopenAfter(pid int, opener, app string) error {
	cmd := exec.Command("/bin/sh", "-c", reopenScript, "conch-reopen", strconv.Itoa(pid), opener, app) //nolint:gosec,noctx // it outlives us on purpose, and its words are ours
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start what opens Conch again: %w", err)
	}
	go func() { _ = cmd.Wait() }() // it outlives us; until then nobody else collects it
	return nil
}
