import { parseJson } from "@factotum/channel-kit";
import * as z from "zod";

/** A message of the connection. */
export type Frame = { readonly type: "hello" | "pong" | "malformed" } | { readonly type: "event"; readonly payload: unknown };

const FrameSchema = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["hello", "pong"]) }),
  z.object({ type: z.literal("event"), payload: z.unknown() }),
]);

/** Reads a message. Total: an invalid one is `malformed`. */
export function readFrame(data: string | Uint8Array): Frame {
  const parsed = FrameSchema.safeParse(parseJson(data));
  return parsed.success ? parsed.data : { type: "malformed" };
}
