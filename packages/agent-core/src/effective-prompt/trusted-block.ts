import type { JsonObject } from "@factotum/agent-contract";
import type { AgentToAgentFacts, EffectivePromptFacts, TrustedFacts } from "./effective-prompt-facts.ts";
import { renderJson } from "./render-json.ts";
import { sanitizeName } from "./sanitize.ts";
import type { TimeFormat } from "./time-format.ts";

/** Verified facts about the turn; announces the delimiter of all blocks below. */
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
    response_format: responseFormat(facts.trusted),
    agent_to_agent: agentToAgent(facts.trusted.agentToAgent),
    completion: completion(facts.trusted.completion),
  };
  return `Inbound context (trusted):\n${renderJson(fields)}`;
}

function clean(text: string | undefined): string | undefined {
  return text === undefined ? undefined : sanitizeName(text);
}

/** The reply format, repeated here if the system prompt was rendered for another channel. */
function responseFormat({ responseFormat: format, promptChannel, channel }: TrustedFacts): JsonObject | undefined {
  if (format === undefined || promptChannel === channel) return undefined;
  return { markup: clean(format.dialect), markdown: format.markdown, max_message_chars: format.maxMessageChars };
}

function completion(facts: TrustedFacts["completion"]): JsonObject | undefined {
  if (facts === undefined) return undefined;
  const { source, run, session, state } = facts;
  return { source: clean(source), run: clean(run), session: clean(session), state: clean(state) };
}

function agentToAgent(facts: AgentToAgentFacts | undefined): JsonObject | undefined {
  if (facts === undefined) return undefined;
  return {
    requester_session: clean(facts.requesterSession),
    requester_channel: clean(facts.requesterChannel),
    target_session: clean(facts.targetSession),
    your_role: facts.role,
    turn: `${facts.turn} of ${facts.maxTurns}`,
    stop: STOP[facts.step],
  };
}

/** The answers that end an exchange between two sessions, and leave out its announcement. */
const ENDS: readonly string[] = ["REPLY_SKIP", "ANNOUNCE_SKIP"];
const MARKUP = /^[\s*_`~]+|[\s*_`~.!]+$/g;

/** True for an answer that is nothing but one of the words that `agent_to_agent` names. Pure. */
export function isExchangeEnd(text: string): boolean {
  return ENDS.includes(text.replaceAll(MARKUP, ""));
}

const STOP: Readonly<Record<AgentToAgentFacts["step"], string>> = {
  message: "To end the exchange, answer only REPLY_SKIP.",
  announce: "Your answer is sent to this session's own chat. To send nothing, answer only ANNOUNCE_SKIP.",
};
