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
  readonly #waits = new Map<string, { readonly ids: Set<string>; readonly held: HeldResult[]; isStopped?: boolean }>();

  /** By session: results that are not queued yet, although all that was waited for is there. */
  readonly #handedOver = new Map<string, HeldResult[]>();

  constructor(runtime: () => Pick<SubagentRuntime, "behind" | "inBackground" | "recover" | "requeue">) {
    this.#runtime = runtime;
  }

  /** Results that a session gets behind its turn: held ones, and those that are being handed over. */
  of(sessionKey: string): readonly InputRecord[] {
    return [...(this.#waits.get(sessionKey)?.held ?? []), ...(this.#handedOver.get(sessionKey) ?? [])].map(({ input }) => input);
  }

  /** The work of a session is stopped: takes the results that would begin a turn of it. What is waited for still is handed over when it is there. */
  take(sessionKey: string): readonly InputRecord[] {
    const taken = this.of(sessionKey).filter((input) => input.admission.isEvent !== true);
    const wait = this.#waits.get(sessionKey);
    for (const held of [wait?.held ?? [], this.#handedOver.get(sessionKey) ?? []])
      held.splice(0, held.length, ...held.filter(({ input }) => !taken.includes(input)));
    if (wait?.ids.size === 0 && wait.held.length === 0) this.#waits.delete(sessionKey);
    return taken;
  }

  /** The work of a session is about to be stopped: nothing that it waits for is handed over any longer. */
  stop(sessionKey: string): void {
    const wait = this.#waits.get(sessionKey);
    if (wait !== undefined) wait.isStopped = true;
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
    if (wait.ids.size === 0 && wait.isStopped !== true) await this.#handOverHeld(parentKey);
  }

  async #handOverHeld(sessionKey: string): Promise<void> {
    const held = this.#waits.get(sessionKey)?.held ?? [];
    this.#waits.delete(sessionKey);
    const left = this.#handedOver.get(sessionKey) ?? [];
    this.#handedOver.set(sessionKey, left);
    left.push(...held);
    const { behind, recover, requeue } = this.#runtime();
    // A stop may have taken some of them meanwhile.
    await behind(sessionKey, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift())
        await (next.isRecovered ? recover(next.input) : requeue(next.input));
      this.#handedOver.delete(sessionKey);
    });
  }
}
