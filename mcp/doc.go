// Package mcp is the door: how a person's other apps reach Conch over the Model Context Protocol. It sits
// above the gateway and is mounted by app; the gateway never imports it.
//
// Nothing is open yet: no route is mounted, so every request to /mcp is refused by the gateway as unknown.
package mcp
