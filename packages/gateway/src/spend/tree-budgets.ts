import type { Usage } from "@factotum/agent-contract";
import { raceAbort } from "@factotum/channel-kit";
import type { TreeBudget } from "@factotum/store";
import { LRUCache } from "lru-cache";

/** Trees that are remembered; the use of an older one is read again. */
const MAX_TREES = 1_000;

/** What a tree has used, or one call may use at most. */
export interface TreeUsage {
  readonly tokens: number;
  readonly costUsd: number;
}

/** A call that its tree has room for. `settle` replaces what it may use by what it has used; call it once. */
interface TreeReservation {
  readonly settle: (usage: Pick<Usage, "total" | "costUsd">) => void;
}

interface Tree {
  tokens: number;
  costUsd: number;
  /** What the calls under way may use. */
  readonly open: Set<TreeUsage>;
  /** Resolves with the next end of a call. */
  settled: PromiseWithResolvers<void>;
  /** Resolves when the call before the next one was decided about. */
  decided: Promise<void>;
}

/**
 * Keeps trees of sub-agents within their budgets: calls run at the same time only while the budget has room for all that they may use. Near the limit one call
 * waits for the other, so that a single call at most exceeds the budget.
 */
export class TreeBudgets {
  readonly #usedBefore: (id: string) => Promise<TreeUsage>;
  readonly #trees = new LRUCache<string, Promise<Tree>>({ max: MAX_TREES });

  /** `usedBefore`: what the tree has used before this process, or before it was forgotten. */
  constructor(usedBefore: (id: string) => Promise<TreeUsage>) {
    this.#usedBefore = usedBefore;
  }

  /** Reserves what a call may use at most, once there is room for it; a text says why there is not. Rejects with the signal's reason. */
  async reserve(budget: TreeBudget, most: TreeUsage, { signal }: { readonly signal: AbortSignal }): Promise<TreeReservation | string> {
    if (!hasLimit(budget)) return { settle: () => undefined };
    const tree = await this.#tree(budget.id);
    const { decided } = tree;
    const { promise, resolve } = Promise.withResolvers<void>();
    tree.decided = promise;
    try {
      await raceAbort(decided, { signal });
      while (tree.open.size > 0 && refusalOf(tree, budget) === undefined && !hasRoom(tree, budget, most))
        await raceAbort(tree.settled.promise, { signal });
      const refusal = refusalOf(tree, budget);
      if (refusal !== undefined) return refusal;
      tree.open.add(most);
    } finally {
      resolve();
    }
    return {
      settle: ({ total, costUsd = 0 }) => {
        tree.open.delete(most);
        tree.tokens += total;
        tree.costUsd += costUsd;
        tree.settled.resolve();
        tree.settled = Promise.withResolvers();
      },
    };
  }

  async #tree(id: string): Promise<Tree> {
    const known = this.#trees.get(id);
    if (known !== undefined) return known;
    const read = this.#usedBefore(id).then(({ tokens, costUsd }): Tree => ({
      tokens,
      costUsd,
      open: new Set(),
      settled: Promise.withResolvers(),
      decided: Promise.resolve(),
    }));
    this.#trees.set(id, read);
    // A failed read is retried with the next call.
    read.catch(() => this.#trees.delete(id));
    return read;
  }
}

/** True for a tree whose use has to be known. */
export function hasLimit({ tokens, usd }: TreeBudget): boolean {
  return tokens !== undefined || usd !== undefined;
}

function refusalOf(used: TreeUsage, { tokens, usd }: TreeBudget): string | undefined {
  if ((tokens === undefined || used.tokens < tokens) && (usd === undefined || used.costUsd < usd)) return undefined;
  const count = (value: number): string => value.toLocaleString("en-US");
  const spent = `${count(used.tokens)}${tokens === undefined ? "" : ` of ${count(tokens)}`} tokens`;
  const cost = `$${used.costUsd.toFixed(2)}${usd === undefined ? "" : ` of $${usd.toFixed(2)}`}`;
  return `subagents.budget is used up for this task and all that it has started: ${spent}, ${cost}.`;
}

/** True if the budget has room for a call next to all that is under way. */
function hasRoom(tree: Tree, { tokens = Number.POSITIVE_INFINITY, usd = Number.POSITIVE_INFINITY }: TreeBudget, most: TreeUsage): boolean {
  const all = [tree, ...tree.open, most];
  const sum = (part: (use: TreeUsage) => number): number => all.reduce((total, use) => total + part(use), 0);
  return sum((use) => use.tokens) <= tokens && (usd === Number.POSITIVE_INFINITY || sum((use) => use.costUsd) <= usd);
}
