import type { Clock } from "@factotum/agent-contract";
import { begunSpawn } from "@factotum/store";
import type { InputRecord, SpawnRecord } from "@factotum/store";
import type { InputWatchers } from "../queue/run-report.ts";
import type { SpawnBook } from "./spawn-book.ts";
import type { SpawnEnds } from "./spawn-ends.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";

interface SpawnInputsParts {
  readonly book: SpawnBook;
  readonly watchers: InputWatchers;
  readonly ends: SpawnEnds;
  readonly runtime: () => SubagentRuntime;
  /** The first run of a sub-agent has begun. */
  readonly onOpened: (spawn: SpawnRecord) => void;
  readonly clock: Clock;
}

/** The inputs of sub-agents: a turn takes each, with which a run begins, or it gets none, and the sub-agent ends. */
export class SpawnInputs {
  readonly #parts: SpawnInputsParts;

  constructor(parts: SpawnInputsParts) {
    this.#parts = parts;
  }

  /** A sub-agent was told something: from now on its next report is waited for. */
  told(spawn: SpawnRecord, input: InputRecord): void {
    this.watch(spawn, input.id);
    this.begin(spawn.id);
  }

  /** Watches an input of its session. */
  watch({ id }: SpawnRecord, inputId: string): void {
    const { watchers, runtime, ends } = this.#parts;
    // It is removed with its report.
    watchers.watch(inputId, {
      onClaimed: () => this.begin(id),
      onReport: () => undefined,
      onAnswered: () => undefined,
      onSettled: (reason) => runtime().inBackground("end of a sub-agent", ends.endWithoutTurn(id, reason)),
    });
  }

  /** A run of it begins. */
  begin(id: string): void {
    const { book, clock, ends, onOpened } = this.#parts;
    const spawn = book.get(id);
    const begun = spawn === undefined ? undefined : begunSpawn(spawn, clock.now());
    if (begun === undefined) return;
    book.put(begun);
    ends.watch(begun);
    if (spawn?.state === "queued") onOpened(begun);
  }

  /** What waits for a run of a sub-agent. Messages of people, and of other sessions, have turns of their own. */
  waitingFor({ childKey }: SpawnRecord): readonly InputRecord[] {
    return this.#parts
      .runtime()
      .waitingInputs(childKey)
      .filter(({ admission }) => admission.kind === "subagent");
  }
}
