import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { ChatSubagent, ChatSubagentActivity } from "@factotum/protocol";
import { isOpenSpawn } from "@factotum/store";
import type { SpawnRecord, Store, TranscriptEntry } from "@factotum/store";
import { answerText } from "../delivery/chat-entries.ts";
import type { SessionEvents } from "../events/session-events.ts";
import { callWords } from "../kernel/call-words.ts";
import type { SpawnBook } from "./spawn-book.ts";
import { usedBy } from "./subagent-usage.ts";

/** UTF-16 units of texts in a row. */
const MAX_TASK_CHARS = 300;
const MAX_REASON_CHARS = 300;
const MAX_ACTIVITY_CHARS = 200;
/** Ended sub-agents in a list. */
const MAX_ENDED = 200;
/** Entries that are read of a sub-agent of an earlier process. */
const MAX_RECALLED = 10;

/** What the entries of a sub-agent's session have shown of it. */
interface Seen {
  readonly model?: string;
  readonly activity?: ChatSubagentActivity;
  /** Usage of the newest turn, which the session counts at the end of the turn. */
  readonly turnId?: string | undefined;
  readonly tokens: number;
  readonly costUsd?: number | undefined;
}

/** Dependencies of the tree. */
export interface SubagentTreeOptions {
  readonly book: SpawnBook;
  readonly store: Pick<Store, "readSession" | "readTranscript">;
  readonly events: SessionEvents;
  /** Reports a failure. */
  readonly inBackground: (label: string, work: Promise<unknown>) => void;
}

/** The sub-agents of sessions for watching clients: each with what it does and costs, in lists, and as events of its session and of all sessions above it. */
export class SubagentTree {
  readonly #options: SubagentTreeOptions;
  readonly #seen = new Map<string, Seen>();

  constructor(options: SubagentTreeOptions) {
    this.#options = options;
    const { book, events } = options;
    book.onChange((spawn) => this.#changed(spawn));
    // The end of a turn updates the usage of its session.
    events.onSessionsChange((key) => this.#changed(book.ofChild(key)));
    events.onEntry((key, entry) => {
      const spawn = book.ofChild(key);
      if (spawn === undefined) return;
      this.#see(spawn, entry);
      this.#changed(spawn);
    });
  }

  /** The sub-agents above, of and below a session, oldest first. Of the ended ones below only the newest. */
  async around(sessionKey: string): Promise<readonly ChatSubagent[]> {
    const { book } = this.#options;
    const own = book.ofChild(sessionKey);
    const above = own === undefined ? [] : [...this.#above(own).toReversed(), own];
    const below = book.list().filter((spawn) => this.#sessionsAbove(spawn).includes(sessionKey));
    const left = new Set(below.filter((spawn) => !isOpenSpawn(spawn)).slice(0, -MAX_ENDED));
    const shown = await Promise.all([...above, ...below.filter((spawn) => !left.has(spawn))].map(async ({ id }) => this.#show(id)));
    return shown.filter((one) => one !== undefined);
  }

  /** The sub-agents of all sessions, oldest first. Of the ended ones only the newest, and those above what is shown. */
  async all(): Promise<readonly ChatSubagent[]> {
    const { book } = this.#options;
    const list = book.list();
    const ended = list.filter((spawn) => !isOpenSpawn(spawn));
    const kept = new Set([...list.filter(isOpenSpawn), ...ended.slice(-MAX_ENDED)]);
    for (const spawn of kept) for (const above of this.#above(spawn)) kept.add(above);
    const shown = await Promise.all(list.filter((spawn) => kept.has(spawn)).map(async ({ id }) => this.#show(id)));
    return shown.filter((one) => one !== undefined);
  }

  /** The sub-agent of a session; `undefined` for other sessions, and for one that is no longer known. */
  async of(sessionKey: string): Promise<ChatSubagent | undefined> {
    const spawn = this.#options.book.ofChild(sessionKey);
    return spawn === undefined ? undefined : this.#show(spawn.id);
  }

  /** A session is removed. */
  forget(sessionKey: string): void {
    const spawn = this.#options.book.ofChild(sessionKey);
    if (spawn !== undefined) this.#seen.delete(spawn.id);
  }

  /** The sub-agents above one, from its parent up. */
  #above(spawn: SpawnRecord): readonly SpawnRecord[] {
    const parent = this.#options.book.ofChild(spawn.parentKey);
    return parent === undefined ? [] : [parent, ...this.#above(parent)];
  }

  #sessionsAbove(spawn: SpawnRecord): readonly string[] {
    return [spawn, ...this.#above(spawn)].map(({ parentKey }) => parentKey);
  }

  #changed(spawn: SpawnRecord | undefined): void {
    if (spawn === undefined) return;
    const { events, inBackground } = this.#options;
    const watched = [spawn.childKey, ...this.#sessionsAbove(spawn)].filter((key) => events.isWatched(key));
    if (watched.length === 0) return;
    const publish = async (): Promise<void> => {
      const subagent = await this.#show(spawn.id);
      if (subagent !== undefined) for (const key of watched) events.publish(key, { type: "subagent-change", subagent });
    };
    inBackground("change of a sub-agent", publish());
  }

  #see({ id }: Pick<SpawnRecord, "id">, entry: TranscriptEntry): void {
    if (entry.type !== "message" || entry.message.role !== "assistant") return;
    const { provider, model, usage } = entry.message;
    const before = this.#seen.get(id);
    const used = before?.turnId === entry.turnId ? before : undefined;
    const activity = activityOf(entry.message) ?? before?.activity;
    this.#seen.set(id, {
      model: `${provider}/${model}`,
      turnId: entry.turnId,
      tokens: (used?.tokens ?? 0) + usage.total,
      costUsd: usage.costUsd === undefined ? used?.costUsd : (used?.costUsd ?? 0) + usage.costUsd,
      ...withoutUndefined({ activity }),
    });
  }

  /** A sub-agent of an earlier process is seen by its newest entries. */
  async #recall(spawn: SpawnRecord, sessionId: string): Promise<void> {
    const { items } = await this.#options.store.readTranscript(sessionId, { limit: MAX_RECALLED });
    if (this.#seen.has(spawn.id)) return;
    for (const entry of items) this.#see(spawn, entry);
  }

  async #show(id: string): Promise<ChatSubagent | undefined> {
    const { book, store, events } = this.#options;
    const known = book.get(id);
    const session = known === undefined ? undefined : await store.readSession(known.childKey);
    if (known !== undefined && session !== undefined && !this.#seen.has(id)) await this.#recall(known, session.sessionId);
    // Synchronous from here on, so that the newest event of a sub-agent has its newest state.
    const spawn = book.get(id);
    if (spawn === undefined) return undefined;
    const seen = this.#seen.get(id);
    const { childKey, parentKey, agentId, depth, label, task, state, reason, isPersistent, createdAtMs, endedAtMs, result, child } = spawn;
    const used = usedBy(session);
    const isCounted = !isOpenSpawn(spawn) || seen?.turnId === undefined || events.live(childKey)?.runId !== seen.turnId;
    const said = result === undefined ? undefined : ({ type: "text", text: oneLine(result) } as const);
    return {
      runId: id,
      sessionKey: childKey,
      parentKey,
      agentId,
      depth,
      task: cutText(task, MAX_TASK_CHARS, "…"),
      state,
      createdAtMs,
      tokens: (used?.total ?? 0) + (isCounted ? 0 : seen.tokens),
      ...withoutUndefined({
        label,
        isPersistent,
        reason: reason === undefined ? undefined : cutText(reason, MAX_REASON_CHARS, "…"),
        model: seen?.model ?? child.job?.model,
        endedAtMs,
        costUsd: isCounted || seen.costUsd === undefined ? used?.costUsd : (used?.costUsd ?? 0) + seen.costUsd,
        activity: said ?? seen?.activity,
      }),
    };
  }
}

/** What an answer does: its first call, else its text. */
function activityOf(message: Extract<AgentMessage, { role: "assistant" }>): ChatSubagentActivity | undefined {
  const call = message.content.find((block) => block.type === "toolCall");
  if (call !== undefined) return { type: "tool", text: cutText(callWords(call), MAX_ACTIVITY_CHARS, "…") };
  const text = oneLine(answerText(message));
  return text === "" ? undefined : { type: "text", text };
}

function oneLine(text: string): string {
  return cutText(text.replaceAll(/\s+/g, " ").trim(), MAX_ACTIVITY_CHARS, "…");
}
