// Package xfixture is a program with plain X windows, for tests: it lives in the test binary, runs as a
// process of its own as a real app does, and reports exactly which keys, buttons and movements it got.
//
// A test's TestMain calls Main first thing. Start then runs the same binary again as the program, and each
// method is one line of JSON to it and one back. The program ends when its input ends, so it can't be left
// behind. It never sends input and never reads another program's windows.
package xfixture
