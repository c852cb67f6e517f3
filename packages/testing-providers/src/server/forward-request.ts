import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

/** The forwarded request. */
export interface ForwardedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
}

/**
 * Forwards a request to another server on this machine and returns its answer, byte for byte. Resolves when nothing more will be written: false if the client
 * left first. A server that does not answer gives a 502 that says so.
 */
export async function forwardRequest(
  upstream: string,
  request: ForwardedRequest,
  response: ServerResponse,
  closed: AbortSignal,
): Promise<boolean> {
  const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
  const sent = httpRequest(upstream + request.path, { method: request.method, headers, signal: closed });
  try {
    sent.end(request.bytes);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const { connection: _hop, "transfer-encoding": _encoding, ...answerHeaders } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, answerHeaders);
    response.flushHeaders();
    await pipeline(answer, response);
  } catch (error) {
    if (closed.aborted) return false;
    const reason = error instanceof Error ? error.message : "no reason given";
    if (!response.headersSent) response.writeHead(502, { "content-type": "text/plain" });
    response.end(`The upstream ${upstream} did not answer: ${reason}. Start it first, and close it last.`);
  }
  return !closed.aborted;
}
