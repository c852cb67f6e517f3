import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** An HTTP server on 127.0.0.1 at a free port. */
export interface LoopbackServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  /** Closes idle connections. A request that is being sent at that moment fails: call it while there is none. */
  readonly closeIdleConnections: () => void;
  /** Destroys every open connection and frees the port. */
  readonly close: () => Promise<void>;
}

/** Starts a server; resolves once it listens. */
export async function startLoopbackServer(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<LoopbackServer> {
  // A client that reuses an idle connection must never race with the server closing it.
  const server = createServer({ keepAliveTimeout: 600_000 }, handle);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port: it listens on a pipe.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    closeIdleConnections: () => server.closeIdleConnections(),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) =>
          error === undefined || ("code" in error && error.code === "ERR_SERVER_NOT_RUNNING") ? resolve() : reject(error),
        );
        server.closeAllConnections();
      }),
  };
}

export type ReadBody = { type: "complete"; bytes: Buffer } | { type: "too-large" } | { type: "aborted" };

/** Reads a request's body; of one over `maxBytes` the rest is read and dropped, so that the answer still reaches the client. */
export function readBody(request: IncomingMessage, options: { maxBytes: number }): Promise<ReadBody> {
  const { promise, resolve } = Promise.withResolvers<ReadBody>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= options.maxBytes) chunks.push(chunk);
  });
  request.on("end", () =>
    resolve(size > options.maxBytes ? { type: "too-large" } : { type: "complete", bytes: Buffer.concat(chunks, size) }),
  );
  request.on("close", () => resolve({ type: "aborted" }));
  request.on("error", () => resolve({ type: "aborted" }));
  return promise;
}
