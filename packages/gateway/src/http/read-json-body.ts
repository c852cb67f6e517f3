import type { IncomingMessage } from "node:http";

/** A request's JSON, or why there is none. */
export type JsonBody =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "refused"; readonly status: 400 | 413; readonly message: string };

/** Reads a JSON body of at most `maxBytes`, whatever its declared length says. Takes Node's own request: a web stream around it would cost more. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonBody> {
  const tooLarge: JsonBody = { type: "refused", status: 413, message: `The body is larger than ${maxBytes} bytes.` };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return { type: "json", value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return { type: "refused", status: 400, message: "The body is not valid JSON in UTF-8." };
    throw error;
  }
}
