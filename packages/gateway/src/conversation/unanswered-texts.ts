import { withoutUndefined } from "@factotum/agent-contract";
import { isHeartbeatOk } from "@factotum/agent-core";
import type { RunKind } from "@factotum/agent-contract";
import type { SessionRecord, Store, TranscriptEntry } from "@factotum/store";
import type { ModelNote } from "../context/model-notes-after.ts";
import { readSince, runBegunBy } from "../context/read-since.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import { sentText, type SentText } from "../kernel/sent-text.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isConversationTainted } from "../taint/taint.ts";

/** A note of the model's, and how people are shown it. */
export type UnansweredText = ModelNote & SentText;

/** The newest ones are kept. */
const MAX_TEXTS = 10;

/**
 * What was sent into a conversation since the last message of a person: texts of jobs, webhooks and other sessions, and alerts of its own heartbeats, each once.
 * A person may answer them in a new conversation, if the old one is over, and must still be understood. Texts from a conversation with text of others may
 * repeat it.
 */
export async function unansweredTexts(
  record: SessionRecord,
  store: Pick<Store, "readTranscript" | "readRecentContext">,
): Promise<readonly UnansweredText[]> {
  const texts = new Map<string, UnansweredText>();
  let run: RunKind = "user";
  let ackMaxChars: number | undefined;
  const isTainted = await isConversationTainted(record, { store });
  for (const entry of await readSince(record.sessionId, (kind) => RUN_POLICY[kind].isFromPerson, store)) {
    run = runBegunBy(entry) ?? run;
    if (entry.type === "message" && entry.message.role === "user") ackMaxChars = entry.message.parts?.ackMaxChars;
    const note = noteOf(entry, { run, ackMaxChars });
    const isMarked = entry.type === "notice" ? entry.tainted === true : isTainted;
    if (note !== undefined) texts.set(note.text, { timestampMs: entry.timestampMs, ...note, ...(isMarked ? { tainted: true } : {}) });
  }
  return [...texts.values()].slice(-MAX_TEXTS);
}

/** `ackMaxChars`: the limit in the message of the run, by which its answer was silent or sent. */
function noteOf(
  entry: TranscriptEntry,
  { run, ackMaxChars }: { readonly run: RunKind; readonly ackMaxChars: number | undefined },
): SentText | undefined {
  if (entry.type === "notice")
    return entry.tellsModel === true ? { text: entry.text, ...withoutUndefined({ blocks: entry.blocks }) } : undefined;
  if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.stopReason !== "stop") return undefined;
  const { isFromPerson, reply } = RUN_POLICY[run];
  if (isFromPerson || reply === "never") return undefined;
  const said = entry.message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
  if (parseReply(said).type === "silent" || (reply === "unless-heartbeat-ok" && isHeartbeatOk(said, ackMaxChars))) return undefined;
  return sentText("You sent this here before this conversation began:", said);
}
