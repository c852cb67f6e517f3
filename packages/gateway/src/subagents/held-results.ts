import type { InputRecord, SpawnRecord } from "@factotum/store";
import type { SubagentRuntime } from "./subagent-runtime.ts";

/** A result that waits for others. */
interface HeldResult {
  readonly input: InputRecord;
  /** An earlier process has left it. */
  readonly isRecovered: boolean;
}

/** Results of sub-agents that are handed over together: those that a session waits for, and those that an earlier process has left. */
export class HeldResults {
  readonly #runtime: () => Pick<SubagentRuntime, "behind" | "inBackground" | "recover" | "requeue">;
  /** By session: the sub-agents that are waited for, and the results that are there. */
  readonly #waits = new Map<string, { readonly ids: Set<string>; readonly held: HeldResult[] }>();

  /** By session: the number of results that are not queued yet, although all that was waited for is there. */
  readonly #handedOver = new Map<string, number>();

  constructor(runtime: () => Pick<SubagentRuntime, "behind" | "inBackground" | "recover" | "requeue">) {
    this.#runtime = runtime;
  }

  /** Results that a session gets behind its turn: held ones, and those that are being handed over. */
  count(sessionKey: string): number {
    return (this.#waits.get(sessionKey)?.held.length ?? 0) + (this.#handedOver.get(sessionKey) ?? 0);
  }

  /** Hands the results of these sub-agents over together, once all of them have ended, with those that are `held` already. */
  hold(sessionKey: string, { ids, held }: { readonly ids: readonly string[]; readonly held: readonly InputRecord[] }): void {
    const before = this.#waits.get(sessionKey)?.held ?? [];
    this.#waits.set(sessionKey, { ids: new Set(ids), held: [...before, ...held.map((input) => ({ input, isRecovered: false }))] });
  }

  /** Holds a result that an earlier process has left waiting, for `handOverKept`. */
  keep(sessionKey: string, input: InputRecord): void {
    const wait = this.#waits.get(sessionKey) ?? { ids: new Set(), held: [] };
    wait.held.push({ input, isRecovered: true });
    this.#waits.set(sessionKey, wait);
  }

  /** Hands the kept results over, each together with the others of its session; those of a session that waits for further ones stay. */
  handOverKept(): void {
    const { inBackground } = this.#runtime();
    for (const [sessionKey, { ids }] of this.#waits)
      if (ids.size === 0) inBackground("results of sub-agents", this.#handOverHeld(sessionKey));
  }

  /** A sub-agent has ended. `input` reports it, where it is told to its parent. */
  async handOver({ id, parentKey }: Pick<SpawnRecord, "id" | "parentKey">, input: InputRecord | undefined): Promise<void> {
    const wait = this.#waits.get(parentKey);
    if (wait?.ids.delete(id) !== true) {
      if (input !== undefined) await this.#runtime().requeue(input);
      return;
    }
    if (input !== undefined) wait.held.push({ input, isRecovered: false });
    if (wait.ids.size === 0) await this.#handOverHeld(parentKey);
  }

  async #handOverHeld(sessionKey: string): Promise<void> {
    const held = this.#waits.get(sessionKey)?.held ?? [];
    this.#waits.delete(sessionKey);
    this.#countHandedOver(sessionKey, held.length);
    const { behind, recover, requeue } = this.#runtime();
    try {
      await behind(sessionKey, async () => {
        for (const { input, isRecovered } of held) await (isRecovered ? recover(input) : requeue(input));
      });
    } finally {
      this.#countHandedOver(sessionKey, -held.length);
    }
  }

  #countHandedOver(sessionKey: string, change: number): void {
    const count = (this.#handedOver.get(sessionKey) ?? 0) + change;
    if (count === 0) this.#handedOver.delete(sessionKey);
    else this.#handedOver.set(sessionKey, count);
  }
}
