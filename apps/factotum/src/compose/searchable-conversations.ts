import { withoutUndefined, type AgentMessage, type RunKind } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { parseAgentSessionKey, sessionKind } from "@factotum/gateway";
import type { ConversationSource, SaidEntry, SearchableConversation } from "@factotum/memory";
import type { ConversationRecord, Store, TranscriptEntry, TurnRecord } from "@factotum/store";
import type { OutputRedactor } from "../runtime/output-redactor.ts";

interface ConversationParts {
  readonly store: Pick<Store, "listConversations" | "exportTranscript" | "readTranscript" | "readTurn">;
  readonly currentConfig: () => FactotumConfig;
  readonly redactor: Pick<OutputRedactor, "ready" | "redact">;
}

type SessionChoice = FactotumConfig["memory"]["sessions"][number];

/** Conversations that are read at once. */
const PAGE = 500;

/** The conversations that `memory.sessions` names, without secrets. */
export function createSearchableConversations({ store, currentConfig, redactor }: ConversationParts): ConversationSource {
  const choiceOf = ({ sessionKey, isPrivate }: ConversationRecord): SessionChoice | undefined => {
    const { memory, session } = currentConfig();
    const choice = kindOf(sessionKey, session.mainKey);
    return choice === undefined || !memory.sessions.includes(choice) || (choice === "private" && isPrivate === false) ? undefined : choice;
  };
  async function* ofAgent(agentId: string, signal: AbortSignal): AsyncGenerator<readonly [ConversationRecord, SessionChoice]> {
    if (currentConfig().memory.sessions.length === 0) return;
    let cursor: string | undefined;
    do {
      const page = await store.listConversations({ limit: PAGE, ...withoutUndefined({ cursor }) });
      signal.throwIfAborted();
      for (const record of page.items) {
        const choice = record.agentId === agentId ? choiceOf(record) : undefined;
        if (choice !== undefined) yield [record, choice];
      }
      ({ cursor } = page);
    } while (cursor !== undefined);
  }
  return {
    async list(agentId, { signal }) {
      const found: SearchableConversation[] = [];
      for await (const [{ sessionId, lastEntryId, activeAtMs, isEnded, keptFromId }, choice] of ofAgent(agentId, signal)) {
        if (lastEntryId === undefined) continue;
        const context = withoutUndefined({ inContextFrom: isEnded ? undefined : keptFromId });
        found.push({ sessionId, lastEntryId, activeAtMs, isShared: choice === "groups", ...context });
      }
      return found;
    },
    async hasEnded(agentId, { signal }) {
      for await (const [{ isEnded, lastEntryId }] of ofAgent(agentId, signal)) if (isEnded && lastEntryId !== undefined) return true;
      return false;
    },
    async *read(sessionId, { from, after: given }) {
      await redactor.ready();
      const after = from === undefined ? given : (await store.readTranscript(sessionId, { before: from, limit: 1 })).items.at(-1)?.id;
      let turn: TurnRecord | undefined;
      for await (const entry of store.exportTranscript(sessionId, after === undefined ? undefined : { after })) {
        if (entry.type !== "message") continue;
        if (entry.turnId !== turn?.id) turn = entry.turnId === undefined ? undefined : await store.readTurn(entry.turnId);
        const said = saidIn(entry, turn);
        if (said !== undefined) yield { ...said, text: redactor.redact(said.text) };
      }
    },
  };
}

/** Which choice covers a session; none covers jobs, webhooks and what else runs unattended. */
function kindOf(sessionKey: string, mainKey: string): SessionChoice | undefined {
  if (parseAgentSessionKey(sessionKey)?.rest.startsWith("subagent:") === true) return "subagents";
  const kind = sessionKind(sessionKey, mainKey);
  if (kind === "group") return "groups";
  return kind === "main" || kind === "other" ? "private" : undefined;
}

/** Turns whose text is a conversation's: those of a person, and those of a sub-agent. */
const SPOKEN: readonly RunKind[] = ["user", "subagent"];

/** What an entry says. An imported one, which has no turn, may come from anyone. */
function saidIn(entry: TranscriptEntry & { readonly type: "message" }, turn: TurnRecord | undefined): SaidEntry | undefined {
  const { id, timestampMs, message } = entry;
  const untrusted = message.role !== "assistant" && message.tainted === true;
  const said = { id, atMs: timestampMs, untrusted };
  if (turn === undefined) return { ...said, by: "other", text: textOf(message), untrusted: true };
  const isSpoken = SPOKEN.includes(turn.kind);
  if (message.role === "user") {
    const isOwners = message.parts?.sender?.owner ?? (!isSpoken || turn.owner);
    if (!isOwners) return { ...said, by: "other", text: message.parts?.body ?? "", untrusted: true };
    return { ...said, by: "owner", text: isSpoken && message.parts?.bodyType !== "media-only" ? (message.parts?.body ?? "") : "" };
  }
  if (message.role === "assistant") return isSpoken && isAnswer(message) ? { ...said, by: "assistant", text: textOf(message) } : undefined;
  // What tools give is not searched, but what the assistant makes of it may be text of others.
  return untrusted ? { ...said, by: "assistant", text: "" } : undefined;
}

function isAnswer(message: AgentMessage): boolean {
  return message.role === "assistant" && (message.stopReason === "stop" || message.stopReason === "length");
}

function textOf({ content }: AgentMessage): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
