package main

// helper: nothing of Conch runs beside it on a Mac.
func helper([]string) (code int, is bool) { return 0, false }
