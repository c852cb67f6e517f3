/** An MCP server by hand that lists the tools of the JSON file of its first argument, and answers every call with the tool's name. */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

const tools = (): unknown => JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  if (id === undefined) return;
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "list", version: "1" },
        },
      });
    case "tools/list":
      return send({ id, result: { tools: tools() } });
    case "tools/call":
      send({ method: "notifications/tools/list_changed" });
      return send({ id, result: { content: [{ type: "text", text: `ran ${params?.name ?? ""}` }] } });
    default:
      return send({ id, error: { code: -32_601, message: "Method not found" } });
  }
});
