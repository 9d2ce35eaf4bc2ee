// Package trial runs the built program on a private desktop, with a folder of its own, and speaks to it as a
// person's own program does. The end-to-end tests, the delivery table and the benchmarks use it; nothing that
// is shipped does.
package trial
