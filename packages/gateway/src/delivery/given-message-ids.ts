import type { AgentMessage } from "@factotum/agent-contract";

/** The block that only the gateway writes; the first one in a message is genuine. */
const TRUSTED_BLOCK = /^Inbound context \(trusted\):\n(\{.*\})$/m;

/** True if the model was given this message id; it can reply only to such messages. */
export function isGivenId(id: string, messages: readonly AgentMessage[]): boolean {
  return messages.some(
    (message) => message.role === "user" && message.content.some((block) => block.type === "text" && names(block.text, id)),
  );
}

function names(text: string, id: string): boolean {
  // Skip parsing: most messages do not contain the id.
  if (!text.includes(id)) return false;
  const block = TRUSTED_BLOCK.exec(text)?.[1];
  if (block === undefined) return false;
  const facts = JSON.parse(block) as { readonly message_id?: unknown; readonly reply_to_id?: unknown };
  return facts.message_id === id || facts.reply_to_id === id;
}
