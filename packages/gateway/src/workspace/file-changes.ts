import type { Clock } from "@factotum/agent-contract";
import type { FileKind } from "./file-kinds.ts";

/** Files of an agent that have changed. */
export interface FileChange {
  readonly agentId: string;
  readonly kind: FileKind;
}

/** Changes within this time after one are announced together: a tool may write many files, and editors write in several steps. */
const COLLECT_MS = 250;

/** Tells listeners that files of agents have changed: at once, and what follows once for each agent and kind. */
export class FileChanges implements Disposable {
  readonly #clock: Pick<Clock, "schedule">;
  readonly #listeners = new Set<(change: FileChange) => void>();
  readonly #waiting = new Map<string, FileChange>();
  #timer: Disposable | undefined;

  constructor({ clock }: { readonly clock: Pick<Clock, "schedule"> }) {
    this.#clock = clock;
  }

  onChange(listener: (change: FileChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  announce(change: FileChange): void {
    if (this.#listeners.size === 0) return;
    this.#waiting.set(`${change.kind} ${change.agentId}`, change);
    if (this.#timer === undefined) this.#flush();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#listeners.clear();
  }

  #flush(): void {
    const changes = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#timer = changes.length === 0 ? undefined : this.#clock.schedule(COLLECT_MS, () => this.#flush());
    for (const change of changes) for (const listener of this.#listeners) listener(change);
  }
}
