// What an app does that is made with the TypeScript SDK: it starts the launcher, shakes hands or asks what there is,
// lists the tools and calls two. It prints one line of JSON.
//
//   client.mjs sdk|sdk-newest MODE LAUNCHER ID
const [, , sdk, mode, launcher, id] = process.argv;

const { Client } = await import(sdk === "sdk" ? "sdk/client/index.js" : "sdk-newest");
const { StdioClientTransport } = await import(sdk === "sdk" ? "sdk/client/stdio.js" : "sdk-newest/stdio");

const options = { capabilities: {} };
if (mode !== "") options.versionNegotiation = { mode: /^\d/.test(mode) ? { pin: mode } : mode };
const client = new Client({ name: "conform", version: "1" }, options);
const transport = new StdioClientTransport({ command: launcher, args: ["--client", id], stderr: "inherit" });
let version = "";
transport.setProtocolVersion = (v) => (version = v); // told by a client of the handshake
const broken = [];
client.onerror = (e) => broken.push(String(e)); // a line that isn't the protocol, for one
await client.connect(transport);
version = client.getNegotiatedProtocolVersion?.() ?? version;
const server = client.getServerVersion();
const { tools } = await client.listTools();
const steps = [];
const call = async (name, args) => {
  const follow = { onprogress: (p) => steps.push(p.message) };
  const more = sdk === "sdk" ? [undefined, follow] : [follow]; // the first one takes a schema before
  const r = await client.callTool({ name, arguments: args }, ...more);
  return { failed: r.isError === true, kinds: r.content.map((c) => c.type), text: r.content[0].text };
};
const found = await call("search_memory", { query: "coffee" });
const look = await call("computer", { action: "screenshot" });
let unknown = "";
try {
  unknown = JSON.stringify(await client.callTool({ name: "no_such_tool", arguments: {} }));
} catch (e) {
  unknown = e.code;
}
await client.close();
console.log(JSON.stringify({ version, server: server.name, tools: tools.map((t) => t.name), found, look, steps, unknown, broken }));
