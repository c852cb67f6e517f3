import type { RpcErrorBody, RpcErrorCode } from "@factotum/protocol";

/** A request that the gateway answered with an error. */
export class RpcError extends Error {
  readonly code: RpcErrorCode;

  constructor({ code, message }: RpcErrorBody) {
    super(message);
    this.name = "RpcError";
    this.code = code;
  }
}

/** The connection failed or broke. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConnectionError";
  }
}

/** Something takes connections and does not answer in time. */
export class NoAnswerError extends ConnectionError {}
