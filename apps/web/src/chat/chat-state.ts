import type { ChatEntry, ChatEvent, ChatSnapshot, ChatSubagent, ChatToolCall, ChatWait, LiveRun } from "@factotum/protocol";

/** Characters kept of a running tool's output: as many as in a snapshot, so that watching and joining late show the same. */
const MAX_LIVE_OUTPUT_LENGTH = 4000;

/** The page's state of a conversation: committed entries, the unfinished answer, and the queue. */
export interface ChatState {
  readonly sessionKey: string;
  /** Oldest first, without gaps from the first loaded one. */
  readonly entries: readonly ChatEntry[];
  /** Cursor for older entries, for `chat.history`. */
  readonly before?: string;
  readonly live?: LiveRun;
  readonly queued: number;
  /** What the queue, or the tools of the run, wait for. */
  readonly wait?: ChatWait;
  /** The sub-agents of the session, those below it, and those above; oldest first. */
  readonly subagents?: readonly ChatSubagent[];
  /** The row in which each answer was streamed, by the id of the answer. The answer stays in that row, so that a long one is not mounted twice. */
  readonly rows?: RowIds;
}

/** Ids of rows, by the id of their entry. */
export type RowIds = ReadonlyMap<string, string>;

/** The row of the unfinished answer of a run; the next answer of the run gets another one. */
export function liveRowId(runId: string, rows: RowIds | undefined): string {
  return `live-${runId}-${rows?.size ?? 0}`;
}

/**
 * Applies a fresh snapshot. Older pages are kept if the snapshot overlaps them; otherwise (a reset, or more new entries than it holds) it replaces everything
 * and older entries can be loaded again.
 */
export function applySnapshot(state: ChatState | undefined, snapshot: ChatSnapshot): ChatState {
  const first = snapshot.entries[0];
  if (state === undefined || state.sessionKey !== snapshot.sessionKey || first === undefined) return snapshot;
  const rows = state.rows === undefined ? {} : { rows: state.rows };
  if (snapshot.before === undefined) return { ...snapshot, ...rows };
  const joint = state.entries.findIndex((entry) => entry.id === first.id);
  if (joint <= 0) return { ...snapshot, ...rows };
  const { before: _newer, ...rest } = snapshot;
  const entries = [...state.entries.slice(0, joint), ...snapshot.entries];
  return { ...rest, ...rows, entries, ...(state.before !== undefined && { before: state.before }) };
}

/** Prepends an older page. */
export function prependHistory(state: ChatState, page: { readonly entries: readonly ChatEntry[]; readonly before?: string }): ChatState {
  const known = new Set(state.entries.map((entry) => entry.id));
  const { before: _older, ...rest } = state;
  const entries = [...page.entries.filter((entry) => !known.has(entry.id)), ...state.entries];
  return { ...rest, entries, ...(page.before !== undefined && { before: page.before }) };
}

/** The state after one event. Events of another than the current run change only the entries. */
export function applyEvent(state: ChatState, event: ChatEvent): ChatState {
  switch (event.type) {
    case "run-start":
      return { ...state, live: { runId: event.runId, startedAtMs: event.startedAtMs, blocks: [], tools: [] } };
    case "block-start":
      return changeLive(state, event.runId, (live) => ({ ...live, blocks: [...live.blocks, { type: event.block, text: "" }] }));
    case "block-delta":
      return changeLive(state, event.runId, (live) => growLastBlock(live, event.text));
    case "answer-restart":
      return changeLive(state, event.runId, (live) => ({ ...live, blocks: [] }));
    case "tool-start":
      return changeLive(state, event.runId, (live) => ({ ...live, tools: withCall(live.tools, event.call) }));
    case "tool-delta":
      return changeLive(state, event.runId, (live) => growTool(live, event.callId, event.text));
    case "entry":
      return commitEntry(state, event.entry, event.runId);
    case "run-end":
      return state.live?.runId === event.runId ? withoutLive(state) : state;
    case "queue-change":
      return withQueue(state, event);
    case "subagent-change":
      return { ...state, subagents: changeSubagent(state.subagents ?? [], event.subagent) };
    // Followed by a snapshot.
    case "branch-change":
      return state;
    case "reset":
      return withQueue(
        { sessionKey: state.sessionKey, entries: [], queued: 0, ...(state.subagents && { subagents: state.subagents }) },
        state,
      );
  }
}

function withQueue(state: ChatState, { queued, wait }: Pick<ChatState, "queued" | "wait">): ChatState {
  const { wait: _before, ...rest } = state;
  return { ...rest, queued, ...(wait !== undefined && { wait }) };
}

function changeSubagent(known: readonly ChatSubagent[], changed: ChatSubagent): readonly ChatSubagent[] {
  const index = known.findIndex(({ runId }) => runId === changed.runId);
  return index === -1 ? [...known, changed] : known.with(index, changed);
}

function changeLive(state: ChatState, runId: string, change: (live: LiveRun) => LiveRun): ChatState {
  return state.live?.runId === runId ? { ...state, live: change(state.live) } : state;
}

/** A call that has begun, or of which more is known. */
function withCall(tools: LiveRun["tools"], call: ChatToolCall): LiveRun["tools"] {
  const index = tools.findIndex(({ id }) => id === call.id);
  return index === -1 ? [...tools, { ...call, output: "" }] : tools.with(index, { ...call, output: tools[index]?.output ?? "" });
}

function growLastBlock(live: LiveRun, text: string): LiveRun {
  const last = live.blocks.at(-1);
  if (last === undefined) return live;
  return { ...live, blocks: [...live.blocks.slice(0, -1), { ...last, text: last.text + text }] };
}

function growTool(live: LiveRun, callId: string, text: string): LiveRun {
  const grow = (tool: LiveRun["tools"][number]) => ({ ...tool, output: (tool.output + text).slice(-MAX_LIVE_OUTPUT_LENGTH) });
  return { ...live, tools: live.tools.map((tool) => (tool.id === callId ? grow(tool) : tool)) };
}

/** Replaces an earlier version of an entry (an edit), and the live state that it commits. */
function commitEntry(state: ChatState, entry: ChatEntry, runId: string | undefined): ChatState {
  const known = state.entries.some((other) => other.id === entry.id);
  const entries = known ? state.entries.map((other) => (other.id === entry.id ? entry : other)) : [...state.entries, entry];
  if (runId === undefined || state.live?.runId !== runId) return { ...state, entries };
  const isWritten = entry.type === "assistant" && state.live.blocks.length > 0;
  const next = isWritten
    ? { ...state, entries, rows: new Map(state.rows).set(entry.id, liveRowId(runId, state.rows)) }
    : { ...state, entries };
  return changeLive(next, runId, (live) => {
    if (entry.type === "assistant") return { ...live, blocks: [] };
    if (entry.type === "tool-result") return { ...live, tools: live.tools.filter((tool) => tool.id !== entry.callId) };
    return live;
  });
}

function withoutLive(state: ChatState): ChatState {
  const { live: _ended, ...rest } = state;
  return rest;
}
