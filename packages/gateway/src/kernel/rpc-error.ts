import type { ConfigFinding, RpcErrorCode } from "@factotum/protocol";

/** A request that is refused: the one way for methods, and for the services that they ask. Nothing was changed, unless the message says so; it says what to do. */
export class RpcError extends Error {
  readonly code: RpcErrorCode;
  /** What is wrong with which key of the configuration. */
  readonly problems: readonly ConfigFinding[] | undefined;

  constructor(code: RpcErrorCode, message: string, options: ErrorOptions & { readonly problems?: readonly ConfigFinding[] } = {}) {
    super(message, options);
    this.name = "RpcError";
    this.code = code;
    this.problems = options.problems;
  }
}
