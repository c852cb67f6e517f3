// The minimum cost of a durable turn in Node: one HTTP request in, one committed row, one streamed call of the provider, one answer out. No session, no
// history, no prompt, no events. The product's ratio to it shows its own overhead.

import { Agent, createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";

const [folder = "", providerUrl = ""] = process.argv.slice(2);
const database = new DatabaseSync(`${folder}/floor.sqlite`);
database.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS input (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT",
);
const insert = database.prepare("INSERT INTO input (body) VALUES (?)");
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

const server = createServer((incoming, outgoing) => {
  answer(incoming).then(
    (body) => outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body),
    (error: unknown) => outgoing.writeHead(500).end(error instanceof Error ? error.message : "failed"),
  );
});
server.listen(0, "127.0.0.1", () => process.send?.({ type: "ready", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.on("disconnect", () => process.exit());

async function answer(incoming: IncomingMessage): Promise<string> {
  const body = await text(incoming);
  insert.run(body);
  const { messages } = JSON.parse(body) as { messages: readonly { content: string }[] };
  const content = await callProvider({ model: "floor", max_tokens: 1024, stream: true, messages });
  return JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] });
}

async function callProvider(body: object): Promise<string> {
  const sent = JSON.stringify(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(`${providerUrl}/v1/messages`, {
      method: "POST",
      agent,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(sent) },
    });
    call.once("response", resolve).once("error", reject).end(sent);
  });
  let answered = "";
  for (const line of (await text(response)).split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6)) as { type: string; delta?: { text?: string } };
    if (event.type === "content_block_delta") answered += event.delta?.text ?? "";
  }
  return answered;
}
