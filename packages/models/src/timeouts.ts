import { isLocalUrl } from "./base-url.ts";

/** The three limits of one call, each in milliseconds. */
export interface ModelTimeouts {
  /** Until the request has been written to a connected socket; name lookup and TLS included. */
  readonly connectMs: number;
  /** From the call until the first part of the answer. Also the limit of a silence while the model thinks. */
  readonly firstEventMs: number;
  /** Between two parts of the answer. */
  readonly idleMs: number;
}

/** The default limits: 10 s, 120 s, 60 s; for a loopback or private address 10 s, 300 s, 120 s. */
export function defaultTimeouts(baseUrl: string): ModelTimeouts {
  return isLocalUrl(baseUrl)
    ? { connectMs: 10_000, firstEventMs: 300_000, idleMs: 120_000 }
    : { connectMs: 10_000, firstEventMs: 120_000, idleMs: 60_000 };
}
