import type { Gate } from "./gate.ts";
import type { StreamFault } from "./write-frames.ts";

/**
 * The fault of an answer. Bytes and events are counted from the start of the body.
 *
 * - `garbage`: after that many events one with invalid JSON, then the rest unchanged.
 * - `unknown-event`: the same with a well-formed event of an unknown type, which a client must skip.
 * - `error-event`: after that many events an error as the vendor sends it inside a stream, and nothing more.
 * - `slow-headers`: not even headers are sent before the gate opens.
 */
export type BodyFault<ErrorType> =
  | StreamFault
  | { readonly type: "garbage"; readonly afterEvents: number }
  | { readonly type: "unknown-event"; readonly afterEvents: number }
  | { readonly type: "error-event"; readonly afterEvents: number; readonly errorType: ErrorType; readonly message: string }
  | { readonly type: "slow-headers"; readonly until: Gate };

/** Frames of a format that a fault inserts. */
export interface FaultFrames<ErrorType> {
  readonly garbage: string;
  readonly unknownEvent: string;
  readonly error: (errorType: ErrorType, message: string) => string;
}

/** The frames after the events that a fault puts in or leaves out. */
export function breakFrames<ErrorType>(
  frames: readonly string[],
  fault: BodyFault<ErrorType> | undefined,
  extra: FaultFrames<ErrorType>,
): readonly string[] {
  switch (fault?.type) {
    case "garbage":
      return frames.toSpliced(fault.afterEvents, 0, extra.garbage);
    case "unknown-event":
      return frames.toSpliced(fault.afterEvents, 0, extra.unknownEvent);
    case "error-event":
      return [...frames.slice(0, fault.afterEvents), extra.error(fault.errorType, fault.message)];
    default:
      return frames;
  }
}

/** The fault, if it concerns the connection; {@link writeFrames} plays it. */
export function streamFaultOf(fault: BodyFault<unknown> | undefined): StreamFault | undefined {
  return fault?.type === "stall" || fault?.type === "trickle" || fault?.type === "cut" || fault?.type === "end" ? fault : undefined;
}
