import { cutText, isHeartbeatOk, type SystemEvent } from "@factotum/agent-core";
import type { RunKind } from "@factotum/agent-contract";
import type { TranscriptEntry, TranscriptStore } from "@factotum/store";
import { readSince, runBegunBy } from "../context/read-since.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** The newest ones are kept. */
const MAX_TEXTS = 10;
/** Maximum UTF-16 units of a text. */
const MAX_CHARS = 4000;

/**
 * What was sent into a conversation since the last message of a person: texts of jobs, webhooks and other sessions, and alerts of its own heartbeats, each once.
 * Whoever answers to them begins a new conversation if the old one is over, and still has to be understood.
 */
export async function unansweredTexts(sessionId: string, store: Pick<TranscriptStore, "readTranscript">): Promise<readonly SystemEvent[]> {
  const texts = new Map<string, SystemEvent>();
  let run: RunKind = "user";
  for (const entry of await readSince(sessionId, (kind) => RUN_POLICY[kind].isFromPerson, store)) {
    run = runBegunBy(entry) ?? run;
    const text = textOf(entry, run);
    if (text !== undefined) texts.set(text, { timestampMs: entry.timestampMs, text });
  }
  return [...texts.values()].slice(-MAX_TEXTS);
}

function textOf(entry: TranscriptEntry, run: RunKind): string | undefined {
  if (entry.type === "notice") return entry.tellsModel === true ? entry.text : undefined;
  if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.stopReason !== "stop") return undefined;
  const { isFromPerson, reply } = RUN_POLICY[run];
  if (isFromPerson || reply === "never") return undefined;
  const said = entry.message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  if (parseReply(said).type === "silent" || (reply === "unless-heartbeat-ok" && isHeartbeatOk(said))) return undefined;
  return `You sent this here before this conversation began: ${JSON.stringify(cutText(said, MAX_CHARS, "…"))}`;
}
