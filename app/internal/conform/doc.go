// Command conform runs what others wrote to judge an MCP server against the program as it is built: the official
// conformance suite (`make conformance`), and the clients that apps are made with (`make clients`). It also has programs
// of others that think, the real Claude Code and Codex, do a task through Conch (`make programs`).
//
// The suite knows no key, so it speaks to a small proxy that adds a paired app's and changes nothing else. What doesn't
// pass stands in mcp/conformance-expected.yml, each with its reason; a run fails on anything else, and on what stands
// there and passes by now. It is no part of the program, and brings the suite with npm.
package main
