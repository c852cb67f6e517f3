import type { IncomingMessage } from "node:http";

/** A request's body, or why it is missing. */
export type Body =
  | { readonly type: "bytes"; readonly bytes: Buffer }
  | { readonly type: "refused"; readonly status: 413; readonly message: string };

/** Reads a body of at most `maxBytes`, regardless of its declared length. Takes Node's own request: wrapping it in a web stream would cost more. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const tooLarge: Body = { type: "refused", status: 413, message: `The body is larger than ${maxBytes} bytes.` };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The rest of a body that is too large is read and dropped after the answer: a client that sends all of it first would never read the answer otherwise.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  return { type: "bytes", bytes: Buffer.concat(chunks) };
}
