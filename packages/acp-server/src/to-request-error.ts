import { RequestError } from "@agentclientprotocol/sdk";
import type { RpcErrorCode } from "@factotum/protocol";

/** JSON-RPC codes of what the gateway refuses; everything else is an internal error. */
const CODES: Readonly<Partial<Record<RpcErrorCode, number>>> = {
  unauthorized: -32_000,
  forbidden: -32_000,
  "not-found": -32_002,
  conflict: -32_600,
  "invalid-request": -32_602,
  "too-large": -32_602,
};

const INTERNAL = -32_603;

/** A failure as the client gets it: the message says what to do, `data.reason` is the gateway's code. */
export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const message = error instanceof Error ? error.message : "the request failed";
  const reason = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "failed";
  const code = Object.entries(CODES).find(([known]) => known === reason)?.[1] ?? INTERNAL;
  return new RequestError(code, message, { reason });
}
