import type { AgentTool, AgentToolResult } from "@factotum/agent-contract";
import { waitInLine, type Waiter } from "../kernel/wait-in-line.ts";
import type { ToolWaitReason } from "./wait-reason.ts";

/** Maximum concurrent commands of one session. */
const MAX_SESSION_COMMANDS = 4;

/** Calls that a run may start at once; only commands among them may have to wait. */
export const MAX_PARALLEL_TOOLS = 8;

/** What a waiting tool call waits for. */
export interface ToolWait {
  /** Tools of other sessions, or only of its own session. */
  readonly type: ToolWaitReason;
  /** How many may run at once. */
  readonly limit: number;
}

/** A command that runs on after its tool call. */
export interface KeptPlace {
  readonly id: string;
  /** The shell line. */
  readonly text: string;
}

const MAX_KEPT_CHARS = 60;

/** Limits concurrent work globally and per session. First come, first served among sessions below their own limit. */
class Limit {
  readonly #capacity: () => number;
  readonly #perSession: number;
  readonly #running = new Map<string, number>();
  readonly #waiters = new Set<Waiter<{ readonly sessionKey: string }>>();
  /** Places that are held beyond a call, by session. */
  readonly #kept = new Map<string, readonly KeptPlace[]>();
  #total = 0;

  constructor(capacity: () => number, perSession: number) {
    this.#capacity = capacity;
    this.#perSession = perSession;
  }

  /** What a waiting call of the session waits for; `undefined` if none waits. */
  waitOf(sessionKey: string): ToolWait | undefined {
    if (!this.#waiters.values().some((waiter) => waiter.sessionKey === sessionKey)) return undefined;
    const own = this.#running.get(sessionKey) ?? 0;
    if (own >= this.#perSession) return { type: "own-tools", limit: this.#perSession };
    return { type: own === this.#total ? "own-tools" : "tools", limit: this.#capacity() };
  }

  /** Resolves when the work may start; dispose the result when it ends. Rejects with the signal's reason. */
  async enter(sessionKey: string, signal: AbortSignal, onWait: (change: 1 | -1) => void): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#hasRoom(sessionKey)) this.#add(sessionKey, 1);
    else {
      const waiting = waitInLine(this.#waiters, { sessionKey }, { signal, onEnter: () => this.#add(sessionKey, 1) });
      onWait(1);
      try {
        await waiting;
      } finally {
        onWait(-1);
      }
    }
    return { [Symbol.dispose]: () => this.#leave(sessionKey) };
  }

  /** Holds a place beyond the call that has one now, which leaves it soon. Dispose the result when the work ends. */
  keep(sessionKey: string, place: KeptPlace): Disposable {
    this.#kept.set(sessionKey, [...this.keptBy(sessionKey), place]);
    this.#add(sessionKey, 1);
    return {
      [Symbol.dispose]: () => {
        const left = this.keptBy(sessionKey).filter((one) => one !== place);
        if (left.length === 0) this.#kept.delete(sessionKey);
        else this.#kept.set(sessionKey, left);
        this.#leave(sessionKey);
      },
    };
  }

  keptBy(sessionKey: string): readonly KeptPlace[] {
    return this.#kept.get(sessionKey) ?? [];
  }

  /** Why a call would wait for places that may never become free; `undefined` if it would not. */
  refusalOf(sessionKey: string): string | undefined {
    const own = this.keptBy(sessionKey);
    if (own.length >= this.#perSession) return `This session has ${own.length} background commands, as many as it may have.`;
    const all = this.#kept.values().reduce((sum, { length }) => sum + length, 0);
    return all < this.#capacity()
      ? undefined
      : `${all} background commands run in all sessions, as many as tools.exec.maxConcurrent allows.`;
  }

  #leave(sessionKey: string): void {
    this.#add(sessionKey, -1);
    for (const waiter of this.#waiters) if (this.#hasRoom(waiter.sessionKey)) waiter.enter();
  }

  #hasRoom(sessionKey: string): boolean {
    return this.#total < this.#capacity() && (this.#running.get(sessionKey) ?? 0) < this.#perSession;
  }

  #add(sessionKey: string, count: 1 | -1): void {
    this.#total += count;
    const running = (this.#running.get(sessionKey) ?? 0) + count;
    if (running === 0) this.#running.delete(sessionKey);
    else this.#running.set(sessionKey, running);
  }
}

/**
 * Bounds concurrent tool calls, which do not hold a place in a lane. Commands may run for long and are counted apart from other tools, so file reads never wait
 * for commands. A waiting call ends with its run's signal.
 */
export class ToolLimits {
  readonly #commands: Limit;
  readonly #others: Limit;

  /** `maxConcurrent` is read at each use. */
  constructor({
    maxConcurrent,
    maxParallel = MAX_PARALLEL_TOOLS,
  }: {
    readonly maxConcurrent: () => number;
    readonly maxParallel?: number;
  }) {
    this.#commands = new Limit(maxConcurrent, MAX_SESSION_COMMANDS);
    // One run's batch may exceed the global limit.
    this.#others = new Limit(() => Math.max(maxConcurrent(), maxParallel), maxParallel);
  }

  /** What a waiting call of the session waits for; `undefined` if none waits. */
  waitOf(sessionKey: string): ToolWait | undefined {
    const found = [this.#commands.waitOf(sessionKey), this.#others.waitOf(sessionKey)];
    return found.find((wait) => wait?.type === "tools") ?? found.find((wait) => wait !== undefined);
  }

  /** Holds the place of a command that runs on after its call. Dispose the result when it ends. */
  keep(sessionKey: string, place: KeptPlace): Disposable {
    return this.#commands.keep(sessionKey, place);
  }

  /** Wraps tools so that their calls wait for a free place. A command is refused if all places are held by background commands. `onWait` is called with 1 when a call starts to wait, and with -1 when its wait ends. */
  apply(tools: readonly AgentTool[], sessionKey: string, onWait: (change: 1 | -1) => void = () => undefined): readonly AgentTool[] {
    return tools.map((tool) => {
      if (tool.traits.holdsNoPlace === true) return tool;
      const limit = tool.traits.effect === "execute" ? this.#commands : this.#others;
      return {
        ...tool,
        execute: async (call, options) => {
          const refusal = limit.refusalOf(sessionKey);
          if (refusal !== undefined) return refused(refusal, limit.keptBy(sessionKey));
          using _running = await limit.enter(sessionKey, options.signal, onWait);
          return await tool.execute(call, options);
        },
      };
    });
  }
}

function refused(reason: string, own: readonly KeptPlace[]): AgentToolResult {
  const lines = own.map(({ id, text }) => {
    const flat = text.replaceAll(/\s+/g, " ").trim();
    return `- ${id}: ${flat.length > MAX_KEPT_CHARS ? `${flat.slice(0, MAX_KEPT_CHARS).toWellFormed()}…` : flat}`;
  });
  const advice =
    own.length === 0 ? "Try again when one has ended." : 'End one with process {"action": "kill", "id": …} first, or wait with poll:';
  return { content: [{ type: "text", text: [`${reason} ${advice}`, ...lines].join("\n") }], isError: true };
}
