import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One received request. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: Record<string, unknown>;
  /** Settles when the connection of this request is closed. */
  readonly closed: Promise<void>;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** A server on loopback that answers every request by a script and records them. */
export interface WireServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Sets the answer from now on. */
  answer(answer: Answer): void;
  /** Settles with the next request. */
  nextRequest(): Promise<SeenRequest>;
}

export async function startWireServer(): Promise<WireServer> {
  const requests: SeenRequest[] = [];
  const waiters: ((request: SeenRequest) => void)[] = [];
  let current: Answer = (response) => void response.writeHead(500).end();
  const server = createServer((request, response) => {
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      const seen: SeenRequest = { path: request.url ?? "", headers: request.headers, text, body, closed };
      requests.push(seen);
      for (const waiter of waiters.splice(0)) waiter(seen);
      void current(response, seen);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (answer) => {
      current = answer;
    },
    nextRequest: () => new Promise((resolve) => waiters.push(resolve)),
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Answers with an event stream of these frames. */
export function sendStream(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) response.write(frame);
    response.end();
  };
}

/** Answers with these frames and then stalls until the client gives up. */
export function sendAndStall(frames: readonly string[]): Answer {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) response.write(frame);
  };
}

/** Answers with these frames and then resets the connection. */
export function sendAndCut(frames: readonly string[]): Answer {
  return async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) await new Promise<void>((resolve) => response.write(frame, () => resolve()));
    response.socket?.destroy();
  };
}

export function sendJson(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
