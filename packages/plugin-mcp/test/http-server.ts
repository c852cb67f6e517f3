import { createServer, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

/** A server at an address of this machine. */
export interface HttpFixture extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path` of every request, with its authorization. */
  readonly requests: readonly string[];
}

const TOOLS = [
  { name: "echo", description: "Repeats its words.", inputSchema: { type: "object" as const } },
  { name: "large", inputSchema: { type: "object" as const } },
];

/** Serves both revisions with the official library. `redirectTo`: sends every request there. */
export async function startHttpServer({ redirectTo }: { readonly redirectTo?: string } = {}): Promise<HttpFixture> {
  const requests: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "http", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
    server.setRequestHandler("tools/call", ({ params }) => ({
      content: [{ type: "text", text: params.name === "large" ? "x".repeat(20_000_000) : `heard ${JSON.stringify(params.arguments)}` }],
    }));
    return server;
  });
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      requests.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization ?? ""}`.trim());
      if (redirectTo !== undefined) {
        outgoing.writeHead(307, { location: redirectTo }).end();
        return;
      }
      const answer = await handler.fetch(await toRequest(incoming));
      outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) outgoing.end();
      else
        Readable.fromWeb(answer.body as never)
          .on("error", () => outgoing.destroy())
          .pipe(outgoing);
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const body = Buffer.concat(await incoming.toArray());
  const { method = "GET" } = incoming;
  const headers = new Headers(Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]));
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method, headers, ...(body.length === 0 ? {} : { body }) });
}
