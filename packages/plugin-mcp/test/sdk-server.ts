/** A server on the official library, which speaks both revisions over standard input and output. Its list grows when its tool `grow` is called. */
import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const { STARTS } = process.env;
if (STARTS !== undefined) appendFileSync(STARTS, `${process.pid}\n`);
const names = ["grow"];

serveStdio(() => {
  const server = new Server({ name: "sdk", version: "1" }, { capabilities: { tools: { listChanged: true }, resources: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: names.map((name) => ({ name, inputSchema: { type: "object" as const } })) }));
  server.setRequestHandler("tools/call", async () => {
    names.push(`added_${names.length}`);
    await server.sendToolListChanged();
    return { content: [{ type: "text", text: "grown" }] };
  });
  server.setRequestHandler("resources/list", () => ({
    resources: [{ uri: "note://1", name: "first", description: "A note.", mimeType: "text/plain" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [{ uri, text: "words of the note" }] }));
  return server;
});
