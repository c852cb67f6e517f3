import type { ChatEntry, ChatEvent, ChatSnapshot, ChatSubagent, ChatToolCall, LiveRun } from "@factotum/protocol";

interface ActiveRun {
  readonly runId: string;
  readonly startedAtMs: number;
  blocks: { readonly type: "text" | "thinking"; readonly parts: string[] }[];
  readonly tools: Map<string, { readonly call: ChatToolCall; printed: string }>;
}

/**
 * One conversation on the gateway's side: it applies events, keeps the committed and the live state, and notifies its listeners. Independent of the page's own
 * reducer, so that the two can be compared.
 */
export class ScriptedSession {
  readonly key: string;
  readonly #entries: ChatEntry[] = [];
  readonly #listeners = new Set<(event: ChatEvent) => void>();
  readonly #subagents = new Map<string, ChatSubagent>();
  #run: ActiveRun | undefined;
  #queued = 0;
  #serial = 0;
  readonly #now: () => number;

  constructor(key: string, now: () => number) {
    this.key = key;
    this.#now = now;
  }

  get running(): boolean {
    return this.#run !== undefined;
  }

  get runId(): string | undefined {
    return this.#run?.runId;
  }

  get entries(): readonly ChatEntry[] {
    return this.#entries;
  }

  listen(listener: (event: ChatEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  snapshot(limit = 50): ChatSnapshot {
    const page = this.history(undefined, limit);
    const subagents = [...this.#subagents.values()];
    return {
      sessionKey: this.key,
      ...page,
      ...(this.#run === undefined ? {} : { live: this.#live() }),
      queued: this.#queued,
      ...(subagents.length === 0 ? {} : { subagents }),
    };
  }

  history(before: string | undefined, limit = 50): { entries: readonly ChatEntry[]; before?: string } {
    const end = before === undefined ? this.#entries.length : this.#entries.findIndex((entry) => entry.id === before);
    const start = Math.max(0, end - limit);
    const entries = this.#entries.slice(start, end);
    const [first] = entries;
    return { entries, ...(start > 0 && first !== undefined ? { before: first.id } : {}) };
  }

  #live(): LiveRun {
    const run = this.#run;
    if (run === undefined) throw new Error("No run is going.");
    const tools = [...run.tools.values()].map(({ call, printed }) => ({ ...call, output: printed.slice(-4000) }));
    return {
      runId: run.runId,
      startedAtMs: run.startedAtMs,
      blocks: run.blocks.map(({ type, parts }) => ({ type, text: parts.join("") })),
      tools,
    };
  }

  #emit(event: ChatEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #nextId(): string {
    this.#serial += 1;
    return String(this.#serial).padStart(8, "0");
  }

  say(text: string, idempotencyKey: string, attachments = 0): void {
    const shown = attachments === 0 ? {} : { attachments };
    this.#commit({ type: "user", id: this.#nextId(), timestampMs: this.#now(), text, ...shown, channel: "webchat", idempotencyKey });
  }

  /** `decisionOn`: the id of a call that waits. */
  note(level: "info" | "warning" | "error", text: string, decisionOn?: string): void {
    const request = decisionOn === undefined ? {} : { request: { type: "decision" as const, id: decisionOn } };
    this.#commit({ type: "notice", id: this.#nextId(), timestampMs: this.#now(), level, text, ...request });
  }

  edit(id: string, text: string): void {
    const index = this.#entries.findIndex((entry) => entry.id === id);
    const entry = this.#entries[index];
    if (entry?.type !== "assistant") throw new Error(`No answer ${id}.`);
    this.#entries[index] = { ...entry, text };
    this.#emit({ type: "entry", entry: { ...entry, text } });
  }

  queue(count: number): void {
    this.#queued = count;
    this.#emit({ type: "queue-change", queued: count });
  }

  /** A sub-agent of the session has started or changed. */
  changeSubagent(subagent: ChatSubagent): void {
    this.#subagents.set(subagent.runId, subagent);
    this.#emit({ type: "subagent-change", subagent });
  }

  reset(): void {
    this.#entries.length = 0;
    this.#emit({ type: "reset" });
  }

  startRun(): string {
    const runId = `run-${this.#nextId()}`;
    this.#run = { runId, startedAtMs: this.#now(), blocks: [], tools: new Map() };
    this.#emit({ type: "run-start", runId, startedAtMs: this.#run.startedAtMs });
    return runId;
  }

  #current(): ActiveRun {
    if (this.#run === undefined) throw new Error("No run is going.");
    return this.#run;
  }

  startBlock(block: "text" | "thinking"): void {
    const run = this.#current();
    run.blocks.push({ type: block, parts: [] });
    this.#emit({ type: "block-start", runId: run.runId, block });
  }

  write(text: string): void {
    const run = this.#current();
    const block = run.blocks.at(-1);
    if (block === undefined) throw new Error("No block was begun.");
    block.parts.push(text);
    this.#emit({ type: "block-delta", runId: run.runId, text });
  }

  /** Ends the unfinished blocks and commits them as one answer. */
  commitAnswer(
    toolCalls: readonly ChatToolCall[],
    stopReason: "stop" | "length" | "toolUse" | "aborted" | "error",
    errorMessage?: string,
  ): void {
    const run = this.#current();
    const textOf = (type: "text" | "thinking") =>
      run.blocks
        .filter((block) => block.type === type)
        .flatMap((block) => block.parts)
        .join("");
    const thinking = textOf("thinking");
    const text = textOf("text");
    run.blocks = [];
    this.#commit(
      {
        type: "assistant",
        id: this.#nextId(),
        timestampMs: this.#now(),
        text,
        ...(thinking === "" ? {} : { thinking }),
        toolCalls,
        model: "demo/scripted",
        stopReason,
        ...(errorMessage !== undefined && { errorMessage }),
      },
      run.runId,
    );
  }

  startTool(call: ChatToolCall): void {
    const run = this.#current();
    run.tools.set(call.id, { call, printed: "" });
    this.#emit({ type: "tool-start", runId: run.runId, call });
  }

  print(callId: string, text: string): void {
    const run = this.#current();
    const tool = run.tools.get(callId);
    if (tool === undefined) throw new Error(`No tool runs as ${callId}.`);
    tool.printed += text;
    this.#emit({ type: "tool-delta", runId: run.runId, callId, text });
  }

  endTool(callId: string, text: string, isError: boolean, isStopped = false): void {
    const run = this.#current();
    const tool = run.tools.get(callId);
    if (tool === undefined) throw new Error(`No tool runs as ${callId}.`);
    run.tools.delete(callId);
    this.#commit(
      {
        type: "tool-result",
        id: this.#nextId(),
        timestampMs: this.#now(),
        callId,
        name: tool.call.name,
        text,
        isError,
        ...(isStopped ? { isStopped } : {}),
      },
      run.runId,
    );
  }

  endRun(type: "done" | "aborted" | "failed", message?: string): void {
    const { runId } = this.#current();
    this.#run = undefined;
    this.#emit({ type: "run-end", runId, outcome: { type, ...(message !== undefined && { message }) } });
  }

  #commit(entry: ChatEntry, runId?: string): void {
    this.#entries.push(entry);
    this.#emit({ type: "entry", ...(runId !== undefined && { runId }), entry });
  }
}
