import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Encodings that some servers use unasked. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** `fetch` that can end an answer while it arrives. */
export type HttpFetch = (input: Parameters<typeof fetch>[0], init?: RequestInit & BodyCheck) => Promise<Response>;

/** A check of the response's body. */
interface BodyCheck {
  /** Takes each piece of the decoded body before its reader; an error ends the connection and is what the reader gets. */
  readonly checkBody?: (bytes: Uint8Array) => Error | undefined;
}

/**
 * `fetch` over Node's own HTTP client and its connection pool: an address or a `Request`, a method, headers, any standard body, a signal. Follows no redirect,
 * and requests no compression. The built-in fetch retains everything of a call, including its request body, until a full garbage collection: that cost more
 * than any other part of a turn.
 *
 * A body sets its own content type unless the headers do; a stream is read with backpressure. Rejects with the error of the connection, which has a `code`,
 * with an `AbortError`, with the error of a failing body stream, and with a `TypeError` for invalid arguments. An unread response body keeps its connection:
 * cancel it.
 */
export const httpFetch: HttpFetch = async (input, init = {}) => {
  const { method, headers, body, signal, url } = input instanceof Request ? partsOf(new Request(input, init)) : { url: input, ...init };
  const encoded = await encodeBody(body);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const given = new Headers(headers);
  if (encoded.type !== undefined && !given.has("content-type")) given.set("content-type", encoded.type);
  const target = new URL(url);
  const request = (target.protocol === "https:" ? httpsRequest : httpRequest)(target, {
    method: method ?? "GET",
    headers: { "accept-encoding": "identity", ...Object.fromEntries(given) },
    ...(signal === null || signal === undefined ? {} : { signal }),
  });
  request.once("response", resolve);
  // After the response its own stream reports the same failure.
  request.on("error", reject);
  if (encoded.content instanceof Readable) {
    // The failure of the source is the reason; the broken connection that follows is not.
    encoded.content.once("error", reject);
    pipeline(encoded.content, request, () => undefined);
  } else request.end(encoded.content);
  return toResponse(await promise, init);
};

type RequestParts = Pick<RequestInit, "method" | "headers" | "body" | "signal"> & { readonly url: string };

function partsOf({ url, method, headers, body, signal }: Request): RequestParts {
  return { url, method, headers, body, signal };
}

/** The bytes to send; `type` is the content type that the body itself implies. */
interface EncodedBody {
  readonly content?: string | Uint8Array | Readable;
  readonly type?: string;
}

/** Everything but a stream is sent with its length, which upload servers expect. */
async function encodeBody(body: RequestInit["body"]): Promise<EncodedBody> {
  if (body === null || body === undefined) return {};
  if (typeof body === "string") return { content: body, type: "text/plain;charset=UTF-8" };
  if (typeof body === "object" && Symbol.asyncIterator in body) return { content: Readable.from(body) };
  // The platform's own encoder: it writes forms, and knows each body's type.
  const encoder = new Response(body);
  const type = encoder.headers.get("content-type");
  return { content: new Uint8Array(await encoder.arrayBuffer()), ...(type === null ? {} : { type }) };
}

function toResponse(incoming: IncomingMessage, check: BodyCheck): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  const hasBody = !BODILESS.has(status);
  if (!hasBody) incoming.resume();
  try {
    return new Response(hasBody ? toStream(decoded(incoming), check) : null, { status, statusText, headers: toHeaders(incoming) });
  } catch (error) {
    // A status outside the valid range.
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
  // A failure on one side destroys the other one with the same error, which its reader gets.
  return decoder === undefined ? incoming : pipeline(incoming, decoder(), () => undefined);
}

/** Equivalent to Node's own conversion, which is generic and several times slower. */
function toStream(incoming: Readable, { checkBody }: BodyCheck): ReadableStream<Uint8Array> {
  // Chunks in transit are dropped.
  const end = (): void => void incoming.removeAllListeners("data").removeAllListeners("end").destroy();
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      incoming.on("data", (bytes: Uint8Array) => {
        const failure = checkBody?.(bytes);
        if (failure !== undefined) {
          controller.error(failure);
          return end();
        }
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once("end", () => controller.close());
      incoming.once("error", (error) => controller.error(error));
    },
    pull: () => void incoming.resume(),
    cancel: end,
  });
}
