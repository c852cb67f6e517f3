import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../json.ts";
import type { RuleViolation } from "./rule-violation.ts";

/**
 * How a request ended.
 *
 * - `answered`: the reply was sent as scripted, including faults; also for an upstream's answer.
 * - `refused`: it broke a rule.
 * - `unscripted`: no answer was left; the client got a 500.
 * - `aborted`: the client closed the connection before the end.
 */
export type RequestOutcome = "answered" | "refused" | "unscripted" | "aborted";

/** One request as a server saw it. */
export interface CapturedRequest<Usage = unknown> {
  /** From 0, in the order of arrival. */
  readonly index: number;
  readonly method: string;
  /** Without a key in the query. */
  readonly path: string;
  /** Without the key. */
  readonly headers: IncomingHttpHeaders;
  /** The body as received. */
  readonly bytes: Buffer;
  /** Undefined when the bytes are no JSON object. */
  readonly body: JsonObject | undefined;
  readonly receivedAtMs: number;
  readonly violations: readonly RuleViolation[];
  /** The cost of the prompt; undefined if it was refused. */
  readonly usage: Usage | undefined;
  /** Resolves when nothing more will be sent or read. */
  readonly ended: Promise<RequestOutcome>;
}
