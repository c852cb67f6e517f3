import type { AgentTool } from "@factotum/agent-contract";
import { waitInLine, type Waiter } from "./wait-in-line.ts";
import type { ToolWaitReason } from "./wait-reason.ts";

/** Commands of one session that may run at the same time. */
const MAX_SESSION_COMMANDS = 4;

/** Calls that a run starts at once: none of them waits for another unless it runs a command. */
export const MAX_PARALLEL_TOOLS = 8;

/** What a waiting call waits for. */
export interface ToolWait {
  /** Tools of other sessions, or only of its own. */
  readonly type: ToolWaitReason;
  /** How many of them may run at once. */
  readonly limit: number;
}

/** Limits concurrent work, over all sessions and per session. First come, first served among sessions below their own limit. */
class Limit {
  readonly #capacity: () => number;
  readonly #perSession: number;
  readonly #running = new Map<string, number>();
  readonly #waiters = new Set<Waiter<{ readonly sessionKey: string }>>();
  #total = 0;

  constructor(capacity: () => number, perSession: number) {
    this.#capacity = capacity;
    this.#perSession = perSession;
  }

  /** What a waiting call of the session waits for; `undefined` when none waits. */
  waitOf(sessionKey: string): ToolWait | undefined {
    if (!this.#waiters.values().some((waiter) => waiter.sessionKey === sessionKey)) return undefined;
    const own = this.#running.get(sessionKey) ?? 0;
    if (own >= this.#perSession) return { type: "own-tools", limit: this.#perSession };
    return { type: own === this.#total ? "own-tools" : "tools", limit: this.#capacity() };
  }

  /** Resolves when the work may start; dispose the result when it has ended. Rejects with the signal's reason. */
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
 * Bounds running tools, which hold no place in a lane. Commands, which can run for long, and all other tools are counted apart: a file is read at once
 * however many commands run. A call that waits ends with its run's signal.
 */
export class ToolLimits {
  readonly #commands: Limit;
  readonly #others: Limit;

  /** `maxConcurrent` is asked at each use. */
  constructor({
    maxConcurrent,
    maxParallel = MAX_PARALLEL_TOOLS,
  }: {
    readonly maxConcurrent: () => number;
    readonly maxParallel?: number;
  }) {
    this.#commands = new Limit(maxConcurrent, MAX_SESSION_COMMANDS);
    // The batch of one run may be larger than the limit for all sessions.
    this.#others = new Limit(() => Math.max(maxConcurrent(), maxParallel), maxParallel);
  }

  /** What a waiting call of the session waits for; `undefined` when none waits. */
  waitOf(sessionKey: string): ToolWait | undefined {
    const found = [this.#commands.waitOf(sessionKey), this.#others.waitOf(sessionKey)];
    return found.find((wait) => wait?.type === "tools") ?? found.find((wait) => wait !== undefined);
  }

  /** The same tools, whose calls wait for their turn. `onWait` is called with 1 when a call begins to wait, and with -1 when it ends to. */
  apply(tools: readonly AgentTool[], sessionKey: string, onWait: (change: 1 | -1) => void = () => undefined): readonly AgentTool[] {
    return tools.map((tool) => {
      const limit = tool.traits.effect === "execute" ? this.#commands : this.#others;
      return {
        ...tool,
        execute: async (call, options) => {
          using _running = await limit.enter(sessionKey, options.signal, onWait);
          return await tool.execute(call, options);
        },
      };
    });
  }
}
