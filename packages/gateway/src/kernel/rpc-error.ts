import type { RpcErrorCode } from "@factotum/protocol";

/** A request that is refused: the one way for methods, and for the desks that they ask. Nothing was changed, unless the message says so; it says what to do. */
export class RpcError extends Error {
  readonly code: RpcErrorCode;

  constructor(code: RpcErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RpcError";
    this.code = code;
  }
}
