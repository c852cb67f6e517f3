import type { ServerResponse } from "node:http";
import type { Gate } from "./gate.ts";
import { released, type StreamFault, writeFrames } from "./write-frames.ts";

/** One response, ready to be written. */
export type Answer =
  | { readonly type: "whole"; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | {
      readonly type: "frames";
      readonly headers: Readonly<Record<string, string>>;
      readonly frames: readonly string[];
      readonly keepAliveFrame: string;
      readonly chunkBytes?: number | undefined;
      readonly fault?: StreamFault | undefined;
      /** Nothing is sent before this opens. */
      readonly notBefore?: Gate | undefined;
    };

/** Writes an answer; resolves once nothing more will be written: false if the client left first. */
export async function writeAnswer(response: ServerResponse, answer: Answer, closed: AbortSignal): Promise<boolean> {
  if (answer.type === "whole") {
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
    return !closed.aborted;
  }
  if (answer.notBefore !== undefined) await released(answer.notBefore, closed);
  if (closed.aborted) return false;
  response.writeHead(200, { ...answer.headers });
  response.flushHeaders();
  const { keepAliveFrame, chunkBytes, fault } = answer;
  return writeFrames(response, answer.frames, { closed, keepAliveFrame, chunkBytes, fault });
}
