import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcErrorBody } from "@factotum/protocol";
import { StoreError } from "@factotum/store";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { RpcError } from "../kernel/rpc-error.ts";

/** The error for the client; `undefined` for an internal error. */
export function toRpcError(error: unknown): RpcErrorBody | undefined {
  if (error instanceof RpcError) return { code: error.code, message: error.message, ...withoutUndefined({ problems: error.problems }) };
  if (error instanceof LaneShutdown) return ENDING;
  if (StoreError.isInstance(error)) {
    if (error.code === "not-found" || error.code === "conflict") return { code: error.code, message: error.message };
    if (error.code === "invalid") return { code: "invalid-request", message: error.message };
    // The store's message says what to do.
    if (error.code === "full") return { code: "unavailable", message: error.message };
    if (error.code === "closed") return ENDING;
  }
  return undefined;
}

const ENDING: RpcErrorBody = { code: "unavailable", message: "The gateway is shutting down. Try again in a moment." };
