import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Waits on this machine for the browser of a login. */
export interface RedirectListener extends AsyncDisposable {
  /** Where the browser has to be sent. */
  readonly url: string;
  /** Resolves with the first address for which `isAnswer` is true; others are refused. Rejects when the signal fires. */
  readonly answer: (isAnswer: (address: string) => boolean, signal: AbortSignal) => Promise<string>;
}

const PATH = "/callback";
const HOST = "127.0.0.1";
const MAX_ADDRESS_CHARS = 8_000;

/** Listens on the loopback address alone. `port` 0: a free one. Rejects if the port is in use. */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  let take: (address: string) => boolean = () => false;
  const server = createServer((request, response) => {
    const address = `http://${HOST}:${portOf(server)}${request.url ?? "/"}`;
    const isTaken = request.method === "GET" && address.length <= MAX_ADDRESS_CHARS && take(address);
    response.writeHead(isTaken ? 200 : 400, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(
      isTaken ? "The login goes on in the terminal. You can close this page.\n" : "This is not the answer to a login that is waited for.\n",
    );
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject).listen(port, HOST, resolve);
  await promise;
  return {
    url: `http://${HOST}:${portOf(server)}${PATH}`,
    answer: async (isAnswer, signal) => {
      const answered = Promise.withResolvers<string>();
      const stop = (): void => answered.reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      take = (address) => {
        if (!isAnswer(address)) return false;
        answered.resolve(address);
        return true;
      };
      try {
        return await answered.promise;
      } finally {
        take = () => false;
        signal.removeEventListener("abort", stop);
      }
    },
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeIdleConnections();
      await closed.promise;
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
