import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { pipeline, Readable, type Transform } from "node:stream";
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
 * `fetch` over Node's own HTTP client and its kept connections: an address or a `Request`, a method, headers, any standard body, a signal. Follows no
 * redirect, and asks for no compression. The real one holds everything of a call, the body of its request included, until the whole heap is looked through:
 * that cost more than any other part of a turn.
 *
 * A body names its own content type unless the headers do; a stream is read as fast as the connection takes it. Rejects with the error of the connection,
 * which has a `code`, with an `AbortError`, with the error of a body stream that fails, and with a `TypeError` for arguments that make no request. A response
 * body that nobody reads to its end keeps its connection: cancel it.
 */
export const httpFetch: typeof fetch = async (input, init = {}) => {
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
  // Once the answer is there, its own stream tells of the same failure.
  request.on("error", reject);
  if (encoded.content instanceof Readable) {
    // What fails in the source is the reason; the broken connection that follows is not.
    encoded.content.once("error", reject);
    pipeline(encoded.content, request, () => undefined);
  } else request.end(encoded.content);
  return toResponse(await promise);
};

type RequestParts = Pick<RequestInit, "method" | "headers" | "body" | "signal"> & { readonly url: string };

function partsOf({ url, method, headers, body, signal }: Request): RequestParts {
  return { url, method, headers, body, signal };
}

/** What goes over the wire; `type` is the content type that the body itself implies. */
interface EncodedBody {
  readonly content?: string | Uint8Array | Readable;
  readonly type?: string;
}

/** Everything but a stream is sent with its length, as servers that take uploads expect. */
async function encodeBody(body: RequestInit["body"]): Promise<EncodedBody> {
  if (body === null || body === undefined) return {};
  if (typeof body === "string") return { content: body, type: "text/plain;charset=UTF-8" };
  if (typeof body === "object" && Symbol.asyncIterator in body) return { content: Readable.from(body) };
  // The platform's own encoder: it writes forms, and knows each body's type.
  const encoder = new Response(body);
  const type = encoder.headers.get("content-type");
  return { content: new Uint8Array(await encoder.arrayBuffer()), ...(type === null ? {} : { type }) };
}

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
