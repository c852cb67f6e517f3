import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Gate } from "./gate.ts";

/**
 * A fault of a body, counted in bytes from its start.
 *
 * - `stall`: nothing more is sent until `until` opens; without a gate, never.
 * - `trickle`: like `stall`, but a keep-alive frame is sent every `everyMs`.
 * - `cut`: the socket is destroyed.
 * - `end`: the body ends cleanly, too early.
 */
export type StreamFault =
  | { readonly type: "stall"; readonly afterBytes: number; readonly until?: Gate }
  | { readonly type: "trickle"; readonly afterBytes: number; readonly everyMs: number; readonly until?: Gate }
  | { readonly type: "cut"; readonly afterBytes: number }
  | { readonly type: "end"; readonly afterBytes: number };

export interface WriteOptions {
  /** Aborted when the client has disconnected; writing stops then. */
  readonly closed: AbortSignal;
  /** What `trickle` sends. */
  readonly keepAliveFrame: string;
  /** Bytes a write; by default one frame a write. */
  readonly chunkBytes?: number | undefined;
  readonly fault?: StreamFault | undefined;
}

/** Writes frames as a body and ends it, or breaks it as the fault says. Resolves when nothing more will be written: false if the client left first. */
export async function writeFrames(response: ServerResponse, frames: readonly string[], options: WriteOptions): Promise<boolean> {
  const { fault, closed } = options;
  const bytes = frames.map((frame) => Buffer.from(frame));
  if (fault === undefined) {
    return writeRest(response, pieces(bytes, options.chunkBytes), closed);
  }
  const whole = Buffer.concat(bytes);
  const head = whole.subarray(0, fault.afterBytes);
  if (!(await writePieces(response, pieces([head], options.chunkBytes), closed))) return false;
  switch (fault.type) {
    case "cut":
      response.destroy();
      return true;
    case "end":
      response.end();
      return true;
    case "stall":
      await released(fault.until, closed);
      break;
    case "trickle": {
      const timer = setInterval(() => response.write(options.keepAliveFrame), fault.everyMs);
      await released(fault.until, closed);
      clearInterval(timer);
      break;
    }
  }
  return writeRest(response, pieces([whole.subarray(fault.afterBytes)], options.chunkBytes), closed);
}

async function writeRest(response: ServerResponse, parts: Iterable<Buffer>, closed: AbortSignal): Promise<boolean> {
  const complete = await writePieces(response, parts, closed);
  if (complete) response.end();
  return complete;
}

/** Resolves when the gate opens or the client has disconnected. */
export async function released(gate: Gate | undefined, closed: AbortSignal): Promise<void> {
  if (closed.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  closed.addEventListener("abort", () => resolve(), { once: true });
  await (gate === undefined ? promise : Promise.race([gate.opened, promise]));
}

function* pieces(frames: readonly Buffer[], chunkBytes: number | undefined): Generator<Buffer> {
  for (const frame of frames) {
    const size = chunkBytes ?? frame.length;
    for (let start = 0; start < frame.length; start += size) yield frame.subarray(start, start + size);
  }
}

async function writePieces(response: ServerResponse, parts: Iterable<Buffer>, closed: AbortSignal): Promise<boolean> {
  for (const part of parts) {
    if (closed.aborted) return false;
    if (!response.write(part)) await Promise.race([once(response, "drain"), released(undefined, closed)]);
    // Each piece leaves on its own instead of being joined with the next one in the socket's buffer.
    await nextTurn();
  }
  return !closed.aborted;
}
