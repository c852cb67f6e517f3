import type { ChatEvent, ChatToolCall, LiveRun } from "@factotum/protocol";
import type { TranscriptEntry } from "@factotum/store";

/** Called with every event of one session, in order. Must not throw. */
export type SessionListener = (event: ChatEvent) => void;

const MAX_TOOL_OUTPUT_CHARS = 4000;

/**
 * The events of sessions, for watching clients. Keeps the uncommitted state of each running session, so that a client which joins late gets a snapshot that the
 * next event continues.
 */
export class SessionEvents {
  readonly #listeners = new Map<string, Set<SessionListener>>();
  readonly #changeListeners = new Set<(key: string) => void>();
  readonly #entryListeners = new Set<(sessionKey: string, entry: TranscriptEntry) => void>();
  readonly #live = new Map<string, LiveRun>();
  /** Runs that may end in silence, with the entries that they have committed. */
  readonly #held = new Map<string, ChatEvent[]>();

  /** Subscribes; disposing ends it. */
  subscribe(sessionKey: string, listener: SessionListener): Disposable {
    const listeners = this.#listeners.get(sessionKey) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(sessionKey, listeners);
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(sessionKey) === listeners) this.#listeners.delete(sessionKey);
      },
    };
  }

  /** Calls back with the key of every session whose position in a list may have changed. */
  onSessionsChange(listener: (key: string) => void): Disposable {
    this.#changeListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#changeListeners.delete(listener) };
  }

  /** Calls back with every committed entry of every session, also of those that show nothing. */
  onEntry(listener: (sessionKey: string, entry: TranscriptEntry) => void): Disposable {
    this.#entryListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#entryListeners.delete(listener) };
  }

  /** Notifies listeners of entries. */
  entryCommitted(sessionKey: string, entry: TranscriptEntry): void {
    for (const listener of this.#entryListeners) listener(sessionKey, entry);
  }

  /** Whether the session has subscribers. */
  isWatched(sessionKey: string): boolean {
    return this.#listeners.has(sessionKey);
  }

  /** The current state of the session's run. */
  live(sessionKey: string): LiveRun | undefined {
    return this.#live.get(sessionKey);
  }

  /** Shows nothing of a run until `release`. */
  hold(runId: string): void {
    if (!this.#held.has(runId)) this.#held.set(runId, []);
  }

  /** Whether a run is held. */
  isHeld(runId: string): boolean {
    return this.#held.has(runId);
  }

  /** Ends `hold`: passes the entries of the run on, unless it has ended in silence. */
  release(sessionKey: string, runId: string, { isSilent }: { readonly isSilent: boolean }): void {
    const entries = this.#held.get(runId) ?? [];
    this.#held.delete(runId);
    if (!isSilent) for (const event of entries) this.publish(sessionKey, event);
  }

  /** Applies an event to the live state and passes it to all subscribers. `turnId`: of an entry, for `hold`. */
  publish(sessionKey: string, event: ChatEvent, { turnId }: { readonly turnId?: string | undefined } = {}): void {
    const held = this.#held.get(turnId ?? ("runId" in event ? (event.runId ?? "") : ""));
    if (held !== undefined) {
      if (event.type === "entry") held.push(event);
      if (event.type === "run-start" || event.type === "run-end") this.sessionChanged(sessionKey);
      return;
    }
    const live = nextLive(this.#live.get(sessionKey), event);
    if (live === undefined) this.#live.delete(sessionKey);
    else this.#live.set(sessionKey, live);
    for (const listener of this.#listeners.get(sessionKey) ?? []) listener(event);
    if (event.type === "run-start" || event.type === "run-end" || event.type === "reset") this.sessionChanged(sessionKey);
  }

  /** Notifies list watchers that a session was created, changed or removed. */
  sessionChanged(sessionKey: string): void {
    for (const listener of this.#changeListeners) listener(sessionKey);
  }
}

/** The running calls with one that has begun, or of which more is known. */
function withCall(tools: LiveRun["tools"], call: ChatToolCall): LiveRun["tools"] {
  const index = tools.findIndex(({ id }) => id === call.id);
  return index === -1 ? [...tools, { ...call, output: "" }] : tools.with(index, { ...call, output: tools[index]?.output ?? "" });
}

/** The live state after an event. Committed entries are removed from it, since they are in the transcript. */
function nextLive(live: LiveRun | undefined, event: ChatEvent): LiveRun | undefined {
  if (event.type === "run-start") return { runId: event.runId, startedAtMs: event.startedAtMs, blocks: [], tools: [] };
  if (live === undefined) return undefined;
  switch (event.type) {
    case "block-start":
      return { ...live, blocks: [...live.blocks, { type: event.block, text: "" }] };
    case "block-delta":
      return {
        ...live,
        blocks: live.blocks.map((block, index) => (index === live.blocks.length - 1 ? { ...block, text: block.text + event.text } : block)),
      };
    case "answer-restart":
      return { ...live, blocks: [] };
    case "tool-start":
      return { ...live, tools: withCall(live.tools, event.call) };
    case "tool-delta":
      return {
        ...live,
        tools: live.tools.map((tool) =>
          tool.id === event.callId ? { ...tool, output: (tool.output + event.text).slice(-MAX_TOOL_OUTPUT_CHARS) } : tool,
        ),
      };
    case "entry": {
      const { entry } = event;
      if (entry.type === "assistant") return { ...live, blocks: [] };
      if (entry.type === "tool-result") return { ...live, tools: live.tools.filter((tool) => tool.id !== entry.callId) };
      return live;
    }
    case "run-end":
    case "reset":
      return undefined;
    case "branch-change":
    case "queue-change":
    case "subagent-change":
      return live;
  }
}
