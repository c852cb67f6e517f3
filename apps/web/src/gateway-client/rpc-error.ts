import type { ConfigFinding, RpcErrorCode } from "@factotum/protocol";
import { gatewayText } from "../i18n/gateway-text.ts";

/**
 * Why a request has no result: the gateway's code, or
 * - `disconnected`: the connection was lost, or there is none; the gateway may have processed it.
 * - `timeout`: no response in time; the gateway may have processed it.
 */
export type RequestFailureCode = RpcErrorCode | "disconnected" | "timeout";

/** A request that failed. `message` is for people and says what to do, in the language of the page at the time it is read. */
export class RpcError extends Error {
  readonly code: RequestFailureCode;
  /** What is wrong with which key of the configuration, in English. */
  readonly problems: readonly ConfigFinding[] | undefined;
  readonly #message: string;

  constructor(
    code: RequestFailureCode,
    message: string,
    options: ErrorOptions & { readonly problems?: readonly ConfigFinding[] | undefined } = {},
  ) {
    super(undefined, options);
    this.name = "RpcError";
    this.code = code;
    this.problems = options.problems;
    this.#message = message;
  }

  override get message(): string {
    return gatewayText(this.#message);
  }

  /** True if the same request may be retried automatically, because it is valid and nothing is broken. */
  get isTransient(): boolean {
    return this.code === "disconnected" || this.code === "timeout" || this.code === "unavailable";
  }
}
