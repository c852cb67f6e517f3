import { ModelError } from "@factotum/agent-contract";
import type { ModelErrorCode } from "@factotum/agent-contract";

/** The error code of the protocol for an agent that wants a login. */
const AUTH_REQUIRED = -32_000;

/** Why an external agent did not answer. The message is for the owner. */
export function agentError(code: ModelErrorCode, message: string, cause?: unknown): ModelError {
  return new ModelError(code, message, { retry: { type: "never" }, ...(cause === undefined ? {} : { cause }) });
}

/** A refusal of the agent as an error. `id`: that of the agent. */
export function toAgentError(id: string, what: string, error: unknown): ModelError {
  if (ModelError.isInstance(error)) return error;
  const { code } = error as { readonly code?: unknown };
  if (code === AUTH_REQUIRED) {
    return agentError("unauthorized", `The external agent ${id} wants a login: start its own program once and log in there.`, error);
  }
  const why = error instanceof Error ? error.message : "unknown reason";
  return agentError("server", `The external agent ${id} failed at ${what}: ${why}`, error);
}
