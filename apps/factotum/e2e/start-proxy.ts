import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";

/** A reverse proxy on loopback, like nginx in front of a gateway. */
export interface TestProxy extends AsyncDisposable {
  readonly url: string;
}

/** Starts a proxy that forwards everything to `target` and appends the client's address to `X-Forwarded-For`, unless `header` is `none`. */
export async function startProxy(
  target: string,
  { header = "x-forwarded-for" }: { readonly header?: "x-forwarded-for" | "none" } = {},
): Promise<TestProxy> {
  const { port } = new URL(target);
  const headersOf = ({ headers, socket }: IncomingMessage): Record<string, string | string[] | undefined> => {
    if (header === "none") return headers;
    const before = headers[header] === undefined ? "" : `${String(headers[header])}, `;
    return { ...headers, [header]: `${before}${socket.remoteAddress ?? ""}` };
  };
  const server = createServer((request, response) => {
    const { method, url: path } = request;
    const onward = sendRequest({ host: "127.0.0.1", port, method, path, headers: headersOf(request) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (request, socket, head: Buffer) => {
    const onward = connect(Number(port), "127.0.0.1");
    const lines = Object.entries(headersOf(request)).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    onward.write(`GET ${request.url ?? "/"} HTTP/1.1\r\n${lines.join("")}\r\n`);
    onward.write(head);
    for (const end of [onward, socket]) end.on("error", () => undefined).on("close", () => (onward.destroy(), socket.destroy()));
    onward.pipe(socket);
    socket.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
