import type { AgentMessage } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { SpawnRecord, Store } from "@factotum/store";
import { callWords } from "../kernel/call-words.ts";
import { quoteLines } from "../kernel/quote-lines.ts";
import { hasMark } from "../taint/taint.ts";

/** Entries that are looked at, and UTF-16 units of each text. */
const MAX_ENTRIES = 30;
const MAX_TEXT_CHARS = 2_000;

/** The newest messages of a sub-agent, newest first, for its parent and for people. A fork's begin with its task. */
export async function readLog(
  { childKey, createdAtMs }: Pick<SpawnRecord, "childKey" | "createdAtMs">,
  store: Pick<Store, "readSession" | "readTranscript">,
): Promise<{ readonly text: string; readonly untrusted: boolean }> {
  const session = await store.readSession(childKey);
  if (session === undefined) return { text: "It has said nothing yet.", untrusted: false };
  const { items } = await store.readTranscript(session.sessionId, { limit: MAX_ENTRIES });
  const all = items.toReversed().flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const messages = all.filter(({ timestamp }) => timestamp >= createdAtMs);
  const untrusted = hasMark(messages);
  const lines = messages.flatMap(describeMessage);
  return { text: lines.length === 0 ? "It has said nothing yet." : lines.join("\n"), untrusted };
}

function describeMessage(message: AgentMessage): readonly string[] {
  switch (message.role) {
    case "user":
      return ["To it:", quoteLines(cutText(message.parts?.body ?? textOf(message.content), MAX_TEXT_CHARS, "…"))];
    case "assistant":
      return message.content.flatMap((block) => {
        if (block.type === "text" && block.text.trim() !== "") return ["It:", quoteLines(cutText(block.text, MAX_TEXT_CHARS, "…"))];
        if (block.type !== "toolCall") return [];
        return [block.external === true ? `It has done itself: ${callWords(block)}.` : `It calls ${block.name}.`];
      });
    case "toolResult":
      return [
        `${message.toolName} ${message.isError ? "fails" : "answers"}:`,
        quoteLines(cutText(textOf(message.content), MAX_TEXT_CHARS, "…")),
      ];
    default:
      return [];
  }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("\n");
}
