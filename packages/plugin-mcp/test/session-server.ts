/** A server of the revisions before 2026, written by hand: the older transport over server-sent events at `/sse`, and sessions over streamable HTTP at `/mcp`. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** The server, and what it was asked. */
export interface SessionServer extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** `METHOD path session` of every request. */
  readonly requests: readonly string[];
  /** How many streams are open. */
  readonly open: () => number;
}

const SESSION = "session-1";

interface Asked {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: object };
}

function resultOf({ method, params }: Asked): object | undefined {
  switch (method) {
    case "initialize":
      return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "sessions", version: "1" } };
    case "tools/list":
      return { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: `heard ${JSON.stringify(params?.arguments)}` }] };
    default:
      return undefined;
  }
}

function answerTo(asked: Asked): object {
  const result = resultOf(asked);
  const outcome = result === undefined ? { error: { code: -32_601, message: "Method not found" } } : { result };
  return { jsonrpc: "2.0", id: asked.id, ...outcome };
}

export async function startSessionServer(): Promise<SessionServer> {
  const requests: string[] = [];
  const streams = new Set<ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    const { method, url = "", headers } = incoming;
    requests.push(`${method} ${url} ${String(headers["mcp-session-id"] ?? "")}`.trim());
    if (url === "/sse" && method === "GET") {
      streams.add(outgoing);
      outgoing.on("close", () => streams.delete(outgoing));
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("event: endpoint\ndata: /messages?session=1\n\n");
    } else if (method === "POST") void answer(incoming, outgoing, url === "/mcp" ? undefined : [...streams].at(-1));
    else outgoing.writeHead(method === "DELETE" ? 200 : 405).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    open: () => streams.size,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Says something without end that nothing asked for, as fast as it is read. */
async function flood(stream: ServerResponse): Promise<void> {
  const params = { level: "info", data: "x".repeat(1_000_000) };
  const event = `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params })}\n\n`;
  while (!stream.destroyed) await new Promise((resolve) => stream.write(event, resolve));
}

/** Answers over the stream, or in the response if no stream is open. */
async function answer(incoming: IncomingMessage, outgoing: ServerResponse, stream: ServerResponse | undefined): Promise<void> {
  const asked = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as Asked;
  if (asked.id === undefined || stream !== undefined) outgoing.writeHead(202).end();
  if (asked.id === undefined) return;
  if (stream !== undefined && asked.params?.arguments !== undefined && "flood" in asked.params.arguments) return flood(stream);
  const text = JSON.stringify(answerTo(asked));
  if (stream !== undefined) stream.write(`event: message\ndata: ${text}\n\n`);
  else outgoing.writeHead(200, { "content-type": "application/json", "mcp-session-id": SESSION }).end(text);
}
