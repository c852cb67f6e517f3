import type { Usage } from "@factotum/agent-contract";
import type { TreeBudget } from "@factotum/store";
import { LRUCache } from "lru-cache";

/** Trees that are remembered; the use of an older one is read again. */
const MAX_TREES = 1_000;

/** What the sub-agents of a tree have used. */
export interface TreeUsage {
  readonly tokens: number;
  readonly costUsd: number;
}

/** A call that its tree has room for. `settle` replaces the estimate by the real usage; call it once. */
interface TreeReservation {
  readonly settle: (usage: Pick<Usage, "total" | "costUsd">) => void;
}

/** Keeps trees of sub-agents within their budgets: each call is counted by its estimate from before it is sent, so that those under way count, too. */
export class TreeBudgets {
  readonly #usedBefore: (id: string) => Promise<TreeUsage>;
  readonly #trees = new LRUCache<string, Promise<{ tokens: number; costUsd: number }>>({ max: MAX_TREES });

  /** `usedBefore`: what the sub-agents of a tree have used before this process, or before it was forgotten. */
  constructor(usedBefore: (id: string) => Promise<TreeUsage>) {
    this.#usedBefore = usedBefore;
  }

  /** Reserves `tokens` for a call; a text says why not. */
  async reserve({ id, tokens: maxTokens, usd: maxUsd }: TreeBudget, tokens: number): Promise<TreeReservation | string> {
    if (maxTokens === undefined && maxUsd === undefined) return { settle: () => undefined };
    const used = await this.#usedBy(id);
    const isUsedUp = (maxTokens !== undefined && used.tokens >= maxTokens) || (maxUsd !== undefined && used.costUsd >= maxUsd);
    if (isUsedUp) {
      const count = (value: number): string => value.toLocaleString("en-US");
      const spent = `${count(used.tokens)}${maxTokens === undefined ? "" : ` of ${count(maxTokens)}`} tokens`;
      const cost = `$${used.costUsd.toFixed(2)}${maxUsd === undefined ? "" : ` of $${maxUsd.toFixed(2)}`}`;
      return `subagents.budget is used up for this task and all that it has started: ${spent}, ${cost}.`;
    }
    used.tokens += tokens;
    return {
      settle: ({ total, costUsd = 0 }) => {
        used.tokens += total - tokens;
        used.costUsd += costUsd;
      },
    };
  }

  async #usedBy(id: string): Promise<{ tokens: number; costUsd: number }> {
    const known = this.#trees.get(id);
    if (known !== undefined) return known;
    const read = this.#usedBefore(id).then(({ tokens, costUsd }) => ({ tokens, costUsd }));
    this.#trees.set(id, read);
    // A failed read is retried with the next call.
    read.catch(() => this.#trees.delete(id));
    return read;
  }
}
