/**
 * A server on the official library, which speaks both revisions over standard input and output. Its lists of tools and prompts grow when its tool `grow` is called.
 */
import { appendFileSync } from "node:fs";
import { inputRequired, ProtocolError, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const { STARTS } = process.env;
if (STARTS !== undefined) appendFileSync(STARTS, `${process.pid}\n`);
const names = ["ask", "grow"];

serveStdio(() => {
  const server = new Server(
    { name: "sdk", version: "1" },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: names.map((name) => ({ name, inputSchema: { type: "object" as const } })) }));
  server.setRequestHandler("tools/call", async ({ params: { name } }, { mcpReq: { inputResponses, requestState } }) => {
    if (name === "ask" && inputResponses === undefined)
      return inputRequired({
        inputRequests: {
          first: inputRequired.elicit({ message: "First?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } }),
          second: inputRequired.elicit({ message: "Second?", requestedSchema: { type: "object", properties: {} } }),
        },
        requestState: "kept",
      });
    if (name === "ask") return { content: [{ type: "text", text: JSON.stringify([requestState(), inputResponses]) }] };
    names.push(`added_${names.length - 1}`);
    await server.sendToolListChanged();
    await server.sendPromptListChanged();
    return { content: [{ type: "text", text: "grown" }] };
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: [
      { name: "weather-of", description: "Asks for the\n weather.", arguments: [{ name: "city", required: true }, { name: "day" }] },
      ...names.slice(2).map((name) => ({ name: `prompt ${name}` })),
    ],
  }));
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: given = {} } }) => {
    if (given["city"] === "nowhere") throw new ProtocolError(-32_602, "there is no such city, hunter2");
    const dialogue = [
      { role: "assistant" as const, content: { type: "text" as const, text: "Which units?" } },
      { role: "user" as const, content: { type: "resource" as const, resource: { uri: "note://1", text: "metric" } } },
    ];
    const text = name === "weather-of" ? `How is the weather in ${given["city"]}, ${given["day"] ?? "today"}?` : `words of ${name}`;
    return { messages: [{ role: "user", content: { type: "text", text } }, ...(given["day"] === undefined ? [] : dialogue)] };
  });
  server.setRequestHandler("resources/list", () => ({
    resources: [{ uri: "note://1", name: "first", description: "A note.", mimeType: "text/plain" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [{ uri, text: "words of the note" }] }));
  return server;
});
