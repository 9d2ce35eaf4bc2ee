// Package launcher is what another app starts to reach Conch: JSON-RPC on its standard input and output, the door on
// the other side. It keeps no state but its session, proves itself again when Conch was restarted, and may be started
// any number of times at once.
//
// Every byte that it writes is JSON-RPC, one message a line. It reads its key from Conch's folder, never from its
// words or its environment, and never sends it. It decides nothing: what an app may use is the door's to say.
package launcher
