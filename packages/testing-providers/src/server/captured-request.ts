import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../json.ts";
import type { RuleViolation } from "./rule-violation.ts";

/**
 * How a request ended.
 *
 * - `answered`: the reply went out as scripted, faults included; also what an upstream said.
 * - `refused`: it broke a rule.
 * - `unscripted`: nothing was left to answer with; the client got a 500.
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
  /** The body as it came over the wire. */
  readonly bytes: Buffer;
  /** Undefined when the bytes are no JSON object. */
  readonly body: JsonObject | undefined;
  readonly receivedAtMs: number;
  readonly violations: readonly RuleViolation[];
  /** What the prompt cost; undefined when it was refused. */
  readonly usage: Usage | undefined;
  /** Resolves when nothing more will be sent or read. */
  readonly ended: Promise<RequestOutcome>;
}
