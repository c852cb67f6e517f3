import type { NoteGate } from "@factotum/agent-contract";

/** Tells of notes that were changed by a tool, a command or the owner. */
export class NoteChanges {
  readonly #listeners = new Set<(agentId: string) => void>();
  readonly #agentsOf: (path: string) => Promise<readonly string[]>;

  /** `agentsOf`: the agents whose note lies at a real path. */
  constructor(agentsOf: (path: string) => Promise<readonly string[]>) {
    this.#agentsOf = agentsOf;
  }

  /** Calls the listener with the agent whose note was changed. */
  onChange(listener: (agentId: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  announce(agentId: string): void {
    for (const listener of this.#listeners) listener(agentId);
  }

  /** The same gate, whose changes of notes are announced. */
  watch(gate: NoteGate): NoteGate {
    return {
      change: async (writes, make) => {
        const verdict = await gate.change(writes, make);
        if (verdict.type === "made" && this.#listeners.size > 0)
          for (const agentId of new Set((await Promise.all(writes.map(({ path }) => this.#agentsOf(path)))).flat())) this.announce(agentId);
        return verdict;
      },
    };
  }
}
