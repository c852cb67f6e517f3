import { A2AError, A2A_ERROR_CODE, JsonRpcTransportError, toJsonRpcError } from "@a2a-js/sdk/errors";
import type { Logger } from "@factotum/channel-contract";
import { reasonOf } from "@factotum/channel-kit";

/** JSON-RPC's range for errors of a server. */
export const SERVER_ERROR = -32_000;

/** The error of a request that may be made again later. */
export function busy(message: string): A2AError {
  return new JsonRpcTransportError({ jsonrpc: "2.0", id: null, error: { code: SERVER_ERROR, message } });
}

/** The answer to a request that failed. What is not the protocol's own error is logged, and its peer gets no details of this machine. */
export function toRpcFailure(error: unknown, id: string | number | null, logger: Logger): RpcFailure {
  if (error instanceof A2AError) return { jsonrpc: "2.0", id, error: toJsonRpcError(error) };
  logger.error("a request of a peer failed", { error: reasonOf(error) });
  return { jsonrpc: "2.0", id, error: { code: A2A_ERROR_CODE.INTERNAL_ERROR, message: "internal error" } };
}

/** As JSON-RPC has it. */
export interface RpcFailure {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string; readonly data?: readonly object[] };
}
