package main

import (
	"os"

	"golang.org/x/sys/unix"

	"conch/mcp/connect/apps"
)

func (programs) Programs() (out []apps.Program, err error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		answer, err := unix.SysctlRaw("kern.procargs2", int(one.Proc.P_pid))
		if err != nil {
			continue // it has ended, or is none that may be asked about
		}
		if p, ok := macProgram(answer); ok {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, errNoPrograms
	}
	return out, nil
}
