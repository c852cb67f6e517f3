import type { AgentMessage, RunFacts } from "@factotum/agent-contract";
import type { ConversationTexts } from "@factotum/memory";
import type { Store } from "@factotum/store";

/** More text than a model copies from, and little enough to compare. */
const MAX_CHARS = 512 * 1024;

/** Tools whose results are text that the owner or the assistant has written to be read. */
const READERS: ReadonlySet<string> = new Set(["read", "memory_search", "memory_get"]);

/** Results of tools and messages of the owner in the newest part of a run's conversation, as far as it is stored. */
export async function conversationTexts({ sessionId }: RunFacts, store: Pick<Store, "readRecentContext">): Promise<ConversationTexts> {
  const { entries } = await store.readRecentContext(sessionId, { maxChars: MAX_CHARS, images: { maxChars: 0, text: "" } });
  const messages = entries.flatMap((entry): readonly AgentMessage[] => (entry.type === "message" ? [entry.message] : []));
  return {
    outputs: messages.flatMap((message) =>
      message.role === "toolResult" && !READERS.has(message.toolName) ? textsOf(message.content) : [],
    ),
    said: messages.flatMap((message) => (message.role === "user" && message.tainted !== true ? (message.parts?.body ?? []) : [])),
  };
}

function textsOf(content: Extract<AgentMessage, { role: "toolResult" }>["content"]): readonly string[] {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : []));
}
