import type { RpcErrorCode } from "@factotum/protocol";

/**
 * Why a request has no result: the gateway's code, or
 * - `disconnected`: the connection was lost, or there is none; the gateway may have done it.
 * - `timeout`: no answer in time; the gateway may have done it.
 */
export type RequestFailureCode = RpcErrorCode | "disconnected" | "timeout";

/** A request that failed. `message` is for people and says what to do. */
export class RpcError extends Error {
  readonly code: RequestFailureCode;

  constructor(code: RequestFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RpcError";
    this.code = code;
  }

  /** True when the same request is worth sending again by itself: nothing is wrong with it, and nothing is broken. */
  get isTransient(): boolean {
    return this.code === "disconnected" || this.code === "timeout" || this.code === "unavailable";
  }
}
