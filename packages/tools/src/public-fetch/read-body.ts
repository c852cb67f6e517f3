import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Clock } from "@factotum/agent-contract";

/** Between two chunks of a body. */
const IDLE_MS = 15_000;

/** The body of an answer. */
export type Body =
  | {
      readonly type: "body";
      readonly bytes: Uint8Array;
      /** There was more. */
      readonly isCut: boolean;
      /** Why the rest did not come. */
      readonly brokenOff?: string;
    }
  | { readonly type: "unreadable"; readonly message: string };

/**
 * Reads a body, decompressed in a thread of its own, up to `maxBytes` of its decompressed form: compression that expands without end costs no more memory than
 * that. When the body breaks off or stalls, `keepsPart` returns what has come; otherwise, and if nothing has come, it rejects.
 */
export async function readBody(
  response: IncomingMessage,
  { maxBytes, keepsPart = false }: { readonly maxBytes: number; readonly keepsPart?: boolean | undefined },
  { clock }: { readonly clock: Pick<Clock, "schedule"> },
): Promise<Body> {
  const coding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const decoder = decoderOf(coding);
  if (decoder === "unknown") return { type: "unreadable", message: `the answer has an unknown compression (${coding.slice(0, 40)})` };
  const stream: Readable = decoder === "none" ? response : decoder;
  // The loop below gets every error from the stream itself.
  if (decoder !== "none") pipeline(response, decoder, () => {});
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  const idle = new Idle(response, clock);
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part.length > maxBytes - sizeBytes ? part.subarray(0, maxBytes - sizeBytes) : part);
      sizeBytes += part.length;
      if (sizeBytes > maxBytes) return { type: "body", bytes: Buffer.concat(parts), isCut: true };
      idle.restart();
    }
  } catch (error) {
    if (!keepsPart || sizeBytes === 0) throw error;
    return { type: "body", bytes: Buffer.concat(parts), isCut: true, brokenOff: error instanceof Error ? error.message : "it broke off" };
  } finally {
    idle.end();
  }
  return { type: "body", bytes: Buffer.concat(parts), isCut: false };
}

function decoderOf(coding: string): Transform | "none" | "unknown" {
  switch (coding) {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return "unknown";
  }
}

/** Ends an answer that has stalled. */
class Idle {
  readonly #response: IncomingMessage;
  readonly #clock: Pick<Clock, "schedule">;
  #timer: Disposable;

  constructor(response: IncomingMessage, clock: Pick<Clock, "schedule">) {
    this.#response = response;
    this.#clock = clock;
    this.#timer = this.#start();
  }

  restart(): void {
    this.#timer[Symbol.dispose]();
    this.#timer = this.#start();
  }

  end(): void {
    this.#timer[Symbol.dispose]();
  }

  #start(): Disposable {
    return this.#clock.schedule(IDLE_MS, () => this.#response.destroy(new Error(`nothing came for ${IDLE_MS / 1000} seconds`)));
  }
}
