import type { AgentMessage } from "@factotum/agent-contract";

/** The block that only the gateway writes; the first one in a message is genuine. */
const TRUSTED_BLOCK = /^Inbound context \(trusted\):\n(\{.*\})$/m;

/** True if the model was given this message id; it can reply only to such messages. */
export function isGivenId(id: string, messages: readonly AgentMessage[]): boolean {
  return blocksNaming(id, messages).some((facts) => facts.message_id === id || facts.reply_to_id === id);
}

/** Ids of the messages in which the model was given this id as that of the replied-to message. */
export function messagesReplyingTo(id: string, messages: readonly AgentMessage[]): readonly string[] {
  return blocksNaming(id, messages).flatMap(({ message_id: own, reply_to_id: target }) =>
    target === id && typeof own === "string" ? [own] : [],
  );
}

interface MessageIds {
  readonly message_id?: unknown;
  readonly reply_to_id?: unknown;
}

function blocksNaming(id: string, messages: readonly AgentMessage[]): readonly MessageIds[] {
  return messages.flatMap((message) =>
    message.role === "user" ? message.content.flatMap((block) => (block.type === "text" ? idsIn(block.text, id) : [])) : [],
  );
}

function idsIn(text: string, id: string): readonly MessageIds[] {
  // Skip parsing: most messages do not contain the id.
  if (!text.includes(id)) return [];
  const block = TRUSTED_BLOCK.exec(text)?.[1];
  return block === undefined ? [] : [JSON.parse(block) as MessageIds];
}
