import type { AgentMessage, UserMessage } from "@factotum/agent-contract";
import { openStoppedStore } from "./open-stopped-store.ts";

/** The stored entries of the only conversation of a stopped product, oldest first. */
export async function readStoredTranscript(home: string): Promise<readonly AgentMessage[]> {
  const store = await openStoppedStore(home);
  try {
    const { items: sessions } = await store.listSessions({ limit: 10 });
    const [session] = sessions;
    if (session === undefined || sessions.length > 1) throw new Error(`one conversation was expected, ${sessions.length} are stored`);
    const { items } = await store.readTranscript(session.sessionId, { limit: 1_000 });
    return items.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  } finally {
    await store.close();
  }
}

/** A transcript without values that differ by run or provider: ids, times, usage, provider and its proofs. */
export function neutralTranscript(messages: readonly AgentMessage[]): unknown {
  const calls = new Map<string, string>();
  const callId = (id: string): string => calls.get(id) ?? (calls.set(id, `call ${calls.size}`), `call ${calls.size}`);
  return messages.map((message) => {
    const { timestamp: _timestamp, ...rest } = message;
    if (rest.role === "user") return withoutTurnIds(rest);
    if (rest.role === "toolResult") return { ...rest, toolCallId: callId(rest.toolCallId) };
    const { api: _api, provider: _provider, model: _model, usage: _usage, content, ...said } = rest;
    return {
      ...said,
      content: content.map((block) => {
        if (block.type === "toolCall") return { type: block.type, id: callId(block.id), name: block.name, arguments: block.arguments };
        return block.type === "thinking" ? { type: block.type, text: block.text } : block;
      }),
    };
  });
}

/** The trusted block of a turn contains its delimiter and its minute, and the parts name their platform event. */
function withoutTurnIds(message: Omit<UserMessage, "timestamp">): unknown {
  const text = JSON.stringify(message);
  const delimiter = /\\"delimiter\\":\\"([0-9a-f]{12})\\"/.exec(text)?.[1];
  const eventId = message.parts?.source?.eventId;
  if (delimiter === undefined || eventId === undefined) throw new Error("a user's message without its trusted block and its event");
  const neutral = text.replaceAll(delimiter, "<delimiter>").replaceAll(eventId, "<event>");
  return JSON.parse(neutral.replaceAll(/(\\"timestamp\\":\\")[^"\\]*/g, "$1<time>")) as unknown;
}
