import * as z from "zod";
import { parseJson } from "../api/sample-chat-api.ts";

/** A message of the connection. */
export type Frame = { readonly type: "hello" | "pong" | "malformed" } | { readonly type: "event"; readonly payload: unknown };

const FrameSchema = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["hello", "pong"]) }),
  z.object({ type: z.literal("event"), payload: z.unknown() }),
]);

/** Reads a message. Total: an invalid one is `malformed`. */
export function readFrame(data: string | Uint8Array): Frame {
  const parsed = FrameSchema.safeParse(parseJson(typeof data === "string" ? new TextEncoder().encode(data) : data));
  return parsed.success ? parsed.data : { type: "malformed" };
}
