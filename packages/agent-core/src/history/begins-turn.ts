import type { AgentMessage } from "@factotum/agent-contract";

/** True for the message that begins a turn: a user message that was not steered into an active one. Pure. */
export function beginsTurn(message: AgentMessage | undefined): boolean {
  return message?.role === "user" && message.parts?.joined !== true;
}
