// Package mcp is the door: how a person's other apps reach Conch over the Model Context Protocol. It sits
// above the gateway and is mounted by app; the gateway never imports it.
//
// Only programs that the person paired get in, each with proof, from this computer unless the person opened the way
// from elsewhere. What an app may use is worked out from its record for every list and every call. A call runs as one
// turn in Conch (gateway.ClientCall), so the guard, questions, Stop and Activity hold for it; the door decides nothing
// about what a tool does. It speaks the handshake of 2025-11-25 and before, and the stateless revision 2026-07-28.
package mcp
