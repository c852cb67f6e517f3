import type { RunFacts } from "@factotum/agent-contract";
import type { CheckpointRecord, CheckpointStore, SessionStore, TurnRecord, TurnStore } from "@factotum/store";
import type { FileAccess } from "@factotum/tools";
import type { RunningConfig } from "../agents/running-config.ts";
import { runFacts } from "../prompt/run-facts.ts";
import type { CheckpointKeeper } from "./checkpoint-keeper.ts";
import { restoreFile, type RestoredFile } from "./restore-file.ts";

/** What the composition provides. */
export interface CheckpointPorts {
  readonly keeper: CheckpointKeeper;
  /** The access of tools, without checkpoints. */
  readonly restoring: FileAccess;
}

/** The dependencies of the service. */
export interface CheckpointServiceOptions extends CheckpointPorts {
  readonly store: CheckpointStore & TurnStore & Pick<SessionStore, "readSession">;
  readonly running: RunningConfig;
}

/** The files that one turn changed. */
export interface TurnCheckpoint {
  readonly turnId: string;
  readonly atMs: number;
  readonly files: readonly CheckpointRecord[];
}

/** Who restores. Derived from a committed message or a credential, never from a request's own words (R19). */
export interface RestoreCaller {
  /** The owner restores any turn of the session, others their own kind of turn: those that the owner did not start. */
  readonly owner: boolean;
}

/** What an undo came to. `running`: the turn has not ended yet. */
export type RestoreOutcome =
  | { readonly type: "nothing" | "running" }
  | { readonly type: "done"; readonly turnId: string; readonly atMs: number; readonly files: readonly RestoredFile[] };

/** Turns that are looked at: each without a change is passed over. */
const MAX_TURNS = 50;

/** Lists what files held before turns, and restores it. */
export class CheckpointService {
  readonly #options: CheckpointServiceOptions;

  constructor(options: CheckpointServiceOptions) {
    this.#options = options;
  }

  /** The newest turns of a session that changed files, newest first. */
  async list(sessionKey: string, { owner, limit }: RestoreCaller & { readonly limit: number }): Promise<readonly TurnCheckpoint[]> {
    const records = await this.#options.store.listCheckpoints(sessionKey, { limit });
    const turns = Map.groupBy(
      records.filter((record) => owner || !record.owner),
      ({ turnId }) => turnId,
    );
    return [...turns].map(([turnId, files]) => ({ turnId, files, atMs: Math.min(...files.map(({ createdAtMs }) => createdAtMs)) }));
  }

  /**
   * Restores the files of the newest turn that changed any. Files that something else has changed since are refused; `force` restores those of the newest turn
   * that has some. A repeated call continues with the turn before, and gives refused files of later turns up. With `turnId` it is about that turn alone, and
   * what later turns have changed, too, is refused.
   */
  async restore(
    sessionKey: string,
    { owner, force, turnId: wanted }: RestoreCaller & { readonly force: boolean; readonly turnId?: string | undefined },
  ): Promise<RestoreOutcome> {
    const passed: string[] = [];
    const turns = await this.list(sessionKey, { owner, limit: MAX_TURNS });
    for (const { turnId, atMs, files } of turns.filter((turn) => wanted === undefined || turn.turnId === wanted)) {
      const turn = await this.#options.store.readTurn(turnId);
      if (turn?.state === "running") return { type: "running" };
      const tried = files.filter(({ isRefused }) => force || !isRefused);
      // Without its turn, which was damaged, it is not known where it ran.
      const restored = turn === undefined ? [] : await this.#restoreAll(tried, { turn, force });
      const refused = restored.filter(({ file }) => file.type === "refused").map(({ id }) => id);
      const removed = tried.map(({ id }) => id).filter((id) => !refused.includes(id));
      const isAny = restored.some(({ file }) => file.type !== "unchanged");
      await this.#options.keeper.settle({ removed: isAny ? [...passed, ...removed] : removed, refused });
      if (isAny) return { type: "done", turnId, atMs, files: restored.map(({ file }) => file) };
      passed.push(...files.filter(({ isRefused }) => isRefused).map(({ id }) => id));
    }
    return { type: "nothing" };
  }

  /** Removes copies of deleted sessions, and those that a killed process left. */
  async sweep(): Promise<void> {
    await this.#options.keeper.sweep();
  }

  async #restoreAll(
    records: readonly CheckpointRecord[],
    { turn, force }: { readonly turn: TurnRecord; readonly force: boolean },
  ): Promise<readonly { readonly id: string; readonly file: RestoredFile }[]> {
    const { keeper, restoring: files } = this.#options;
    const restored: { readonly id: string; readonly file: RestoredFile }[] = [];
    for (const record of records) {
      const run = await this.#factsOf(record, turn);
      restored.push({ id: record.id, file: await restoreFile(record, { files, keeper, run, force }) });
    }
    return restored;
  }

  /** The facts that a run of the same session and authority would have now. */
  async #factsOf({ owner, sessionKey, sessionId }: CheckpointRecord, { id, kind, agentId, origin }: TurnRecord): Promise<RunFacts> {
    const { running, store } = this.#options;
    const workspace = (await store.readSession(sessionKey))?.overrides.workspace;
    const isGroup = origin.conversation.kind !== "direct";
    return runFacts({ id, kind, owner, sessionKey, sessionId }, { agent: running.agent(agentId), isGroup, workspace }, running);
  }
}
