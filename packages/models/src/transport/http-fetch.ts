import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** What some servers send without being asked. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * What clients of models use of `fetch`, over Node's own HTTP client and its kept connections: an address, a method, headers, a text for body, a signal.
 * Follows no redirect, and asks for no compression. The real one holds everything of a call, the body of its request included, until the whole heap is
 * looked through: that cost more than any other part of a turn.
 *
 * Rejects with the error of the connection, which has a `code`, with an `AbortError`, and with a `TypeError` for what it does not take. A body that nobody
 * reads to its end keeps its connection: cancel it.
 */
export const httpFetch: typeof fetch = async (input, { method = "GET", headers, body, signal } = {}) => {
  if (input instanceof Request || (typeof body !== "string" && body !== null && body !== undefined))
    throw new TypeError("This fetch takes an address, and a text for body.");
  const url = new URL(input);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
    method,
    headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(headers)) },
    ...(signal === null || signal === undefined ? {} : { signal }),
  });
  request.once("response", resolve);
  // Once the answer is there, its own stream tells of the same failure.
  request.on("error", reject);
  request.end(body);
  return toResponse(await promise);
};

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  const hasBody = !BODILESS.has(status);
  if (!hasBody) incoming.resume();
  try {
    return new Response(hasBody ? toStream(decoded(incoming)) : null, { status, statusText, headers: toHeaders(incoming) });
  } catch (error) {
    // A status that no answer may have.
    incoming.destroy();
    throw error;
  }
}

function toHeaders({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const value of values) headers.append(name, value);
  return headers;
}

function decoded(incoming: IncomingMessage): Readable {
  const decoder = DECODERS.get(incoming.headers["content-encoding"]?.trim().toLowerCase() ?? "");
  // What fails on one side ends the other one with the same error, and whoever reads hears of it there.
  return decoder === undefined ? incoming : pipeline(incoming, decoder(), () => undefined);
}

/** Node's own conversion does the same for every kind of stream, and costs a multiple. */
function toStream(incoming: Readable): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      incoming.on("data", (bytes: Uint8Array) => {
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once("end", () => controller.close());
      incoming.once("error", (error) => controller.error(error));
    },
    pull: () => void incoming.resume(),
    // What is on its way already is nobody's any more.
    cancel: () => void incoming.removeAllListeners("data").removeAllListeners("end").destroy(),
  });
}
