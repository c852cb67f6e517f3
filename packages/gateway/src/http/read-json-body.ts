import type { IncomingMessage } from "node:http";
import { readBody } from "./read-body.ts";

/** A request's JSON, or why it is missing. */
export type JsonBody =
  | { readonly type: "json"; readonly value: unknown }
  | { readonly type: "refused"; readonly status: 400 | 413; readonly message: string };

/** Reads a JSON body of at most `maxBytes`. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonBody> {
  const body = await readBody(request, maxBytes);
  if (body.type === "refused") return body;
  try {
    return { type: "json", value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body.bytes)) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return { type: "refused", status: 400, message: "The body is not valid JSON in UTF-8." };
    throw error;
  }
}
