import type { AgentMessage } from "@factotum/agent-contract";

/** The block that only the gateway writes; the first one of a message is its own. */
const TRUSTED_BLOCK = /^Inbound context \(trusted\):\n(\{.*\})$/m;

/** True when the model was given this id of a message: only such a message can it answer. */
export function isGivenId(id: string, messages: readonly AgentMessage[]): boolean {
  return messages.some(
    (message) => message.role === "user" && message.content.some((block) => block.type === "text" && names(block.text, id)),
  );
}

function names(text: string, id: string): boolean {
  // Most messages name another one: no need to parse those.
  if (!text.includes(id)) return false;
  const block = TRUSTED_BLOCK.exec(text)?.[1];
  if (block === undefined) return false;
  const facts = JSON.parse(block) as { readonly message_id?: unknown; readonly reply_to_id?: unknown };
  return facts.message_id === id || facts.reply_to_id === id;
}
