import type { AgentMessage } from "@factotum/agent-contract";

/** True for the message with which a turn begins: words of a user that were not said into a turn at work. Pure. */
export function beginsTurn(message: AgentMessage | undefined): boolean {
  return message?.role === "user" && message.parts?.joined !== true;
}
