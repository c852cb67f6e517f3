import type { SpawnRecord } from "@factotum/store";
import { nameOf } from "./subagent-report.ts";

/** What a sub-agent has said, and whether it may be text of others (R23). */
interface Said {
  readonly result: string;
  readonly isTainted: boolean;
}

/** What sub-agents had said that the one which has started them was not told before it was ended. Its own end reports that, since nothing else does. */
export class PartialResults {
  /** By the session of the one that has started them. */
  readonly #left = new Map<string, Map<string, { readonly spawn: SpawnRecord; readonly said: Said }>>();

  /** Call it when a sub-agent is ended with its parent, or its result gets no turn of that, before the end of that is planned. */
  add(spawn: SpawnRecord, said: Said): void {
    if (said.result.trim() === "") return;
    const left = this.#left.get(spawn.parentKey) ?? new Map();
    this.#left.set(spawn.parentKey, left.set(spawn.id, { spawn, said }));
  }

  /** A sub-agent has ended. */
  forget({ childKey }: Pick<SpawnRecord, "childKey">): void {
    this.#left.delete(childKey);
  }

  /** What a sub-agent leaves: its own words, and what those below it had said. */
  with({ childKey }: Pick<SpawnRecord, "childKey">, own: Said): Said {
    const below = [...(this.#left.get(childKey)?.values() ?? [])];
    const texts = below.map(({ spawn, said }) => `Its sub-agent ${nameOf(spawn)} had said:\n${said.result.trim()}`);
    return {
      result: [own.result.trim() === "" ? [] : [own.result], texts].flat().join("\n\n"),
      isTainted: own.isTainted || below.some(({ said }) => said.isTainted),
    };
  }
}
