import type { JsonObject } from "@factotum/agent-contract";
import type { EffectivePromptFacts } from "./effective-prompt-facts.ts";
import { renderJson } from "./render-json.ts";
import { sanitizeName } from "./sanitize.ts";
import type { TimeFormat } from "./time-format.ts";

/** What is known for certain of the turn; it announces the delimiter of all blocks below. */
export function renderTrustedBlock(facts: EffectivePromptFacts, time: TimeFormat): string {
  const { channel, provider, surface, account, chatType, wasMentioned, sender, owner, messageId, replyToId } = facts.trusted;
  const fields: JsonObject = {
    schema: "factotum.inbound_meta.v1",
    delimiter: facts.delimiter,
    timestamp: time.timestamp(facts.nowMs),
    channel: clean(channel),
    provider: clean(provider),
    surface: clean(surface),
    account: clean(account),
    chat_type: chatType,
    is_group_chat: chatType === undefined ? undefined : chatType !== "direct",
    was_mentioned: wasMentioned,
    sender: clean(sender),
    owner,
    message_id: clean(messageId),
    reply_to_id: clean(replyToId),
    run: facts.run,
  };
  return `Inbound context (trusted):\n${renderJson(fields)}`;
}

function clean(text: string | undefined): string | undefined {
  return text === undefined ? undefined : sanitizeName(text);
}
