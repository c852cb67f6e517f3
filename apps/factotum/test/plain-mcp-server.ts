/** An MCP server without dependencies, as the text of a module: the tool `where` names its folder, its variables, and what it was started with. */
export const PLAIN_MCP_SERVER = `import { createInterface } from "node:readline";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const where = () => JSON.stringify({ folder: process.cwd(), args: process.argv.slice(2), key: process.env.KIT_KEY ?? null, other: process.env.OTHER ?? null });
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "plain", version: "1.0.0" } }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [{ name: "where", description: "Where it runs.", inputSchema: { type: "object" } }] }),
    "tools/call": () => ({ content: [{ type: "text", text: where() }] }),
  }[method];
  if (result === undefined) say({ id, error: { code: -32601, message: "unknown" } });
  else say({ id, result: result() });
});
`;
