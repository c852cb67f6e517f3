import type { FileBefore, FileChangePlan, FileCheckpoints, RunFacts } from "@factotum/agent-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import type { CheckpointBefore, CheckpointLimits, CheckpointRecord, CheckpointStore, NewCheckpoint } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { CheckpointCopies, digestOf } from "./checkpoint-copies.ts";

/** Instead of a digest: there is no file. */
export const ABSENT = "absent";
/** Instead of a digest: the file is too large to be compared. */
export const TOO_LARGE = "too-large";

/** Files up to this size are kept. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const LIMITS: CheckpointLimits = { maxSessionBytes: 64 * 1024 * 1024, maxTotalBytes: 512 * 1024 * 1024 };

/** The dependencies of keeping. */
export interface CheckpointKeeperOptions {
  readonly store: CheckpointStore;
  /** Where the contents are: absolute, closed to tools. */
  readonly folder: string;
  /** `tools.checkpoints`, read at each change. */
  readonly isEnabled: () => boolean;
  readonly now: () => number;
  /** 64 MiB a session and 512 MiB in total by default. */
  readonly limits?: CheckpointLimits;
}

/**
 * Keeps what files held before a turn's first change of them: content first, flushed, then the row; only then may the file change. A kill in between leaves the
 * file as it was, and at most a content without a row, which a sweep removes.
 */
export class CheckpointKeeper implements FileCheckpoints {
  readonly maxBytes: number = MAX_FILE_BYTES;
  readonly copies: CheckpointCopies;
  readonly #options: CheckpointKeeperOptions;
  /** One change at a time: a content must not be removed while a row for it is being written. */
  readonly #queue = createKeyedQueue();

  constructor(options: CheckpointKeeperOptions) {
    this.#options = options;
    this.copies = new CheckpointCopies(options.folder);
  }

  /** Notes that are written in the background are no change that a person would undo. */
  keeps({ kind }: RunFacts): boolean {
    return this.#options.isEnabled() && RUN_POLICY[kind].keepsCheckpoints;
  }

  async beforeChange(changes: readonly FileChangePlan[], run: RunFacts): Promise<void> {
    await this.#queue.run("", async () => this.#keep(changes, run));
  }

  /** Removes rows and contents of files that are restored, and marks those that were refused. */
  async settle(settled: { readonly removed: readonly string[]; readonly refused: readonly string[] }): Promise<void> {
    await this.#queue.run("", async () => this.copies.remove(await this.#options.store.settleCheckpoints(settled)));
  }

  /** Removes contents that no row refers to: of deleted sessions, and of killed processes. */
  async sweep(): Promise<void> {
    await this.#queue.run("", async () => this.copies.sweep(async (digests) => this.#options.store.findCheckpointDigests(digests)));
  }

  async #keep(changes: readonly FileChangePlan[], run: RunFacts): Promise<void> {
    const { store, limits = LIMITS } = this.#options;
    const known = new Map((await store.readCheckpoints(run.runId)).map((record) => [record.path, record]));
    const rows: NewCheckpoint[] = [];
    for (const { path, before, after } of changes) {
      const written = after === undefined ? ABSENT : digestOf(after);
      const record = known.get(path);
      rows.push(record === undefined ? await this.#first(path, before, { written, run }) : again(record, before, written));
    }
    const saved = await store.saveCheckpoints(rows, limits);
    await this.copies.remove(saved.orphans);
    if (!saved.isOverLimit) return;
    // This turn alone fills the space: these files change without a copy, and an undo says so.
    const { orphans } = await store.saveCheckpoints(
      rows.map((row) => (known.has(row.path) ? row : withoutCopy(row))),
      limits,
    );
    const kept = rows.flatMap(({ before }) => (before.type === "kept" ? [before.digest] : []));
    const used = await store.findCheckpointDigests(kept);
    await this.copies.remove([...orphans, ...kept.filter((digest) => !used.has(digest))]);
  }

  async #first(
    path: string,
    before: FileBefore,
    { written, run }: { readonly written: string; readonly run: RunFacts },
  ): Promise<NewCheckpoint> {
    return {
      sessionKey: run.sessionKey,
      sessionId: run.sessionId,
      turnId: run.runId,
      owner: run.owner,
      path,
      before: await this.#toBefore(before),
      written: [written],
      isMixed: false,
      createdAtMs: this.#options.now(),
    };
  }

  async #toBefore(before: FileBefore): Promise<CheckpointBefore> {
    switch (before.type) {
      case "absent":
        return before;
      case "too-large":
        return { type: "not-kept", sizeBytes: before.sizeBytes };
      case "file": {
        const { content, mode } = before;
        return { type: "kept", digest: await this.copies.put(content), sizeBytes: content.length, mode };
      }
    }
  }
}

/** The next change of a file in the same turn. Until it is made, the file is as it is now: a kill in between must not look like a change by something else. */
function again({ id: _id, isRefused: _isRefused, ...record }: CheckpointRecord, before: FileBefore, written: string): NewCheckpoint {
  const now = stateOf(before);
  const isOwn = record.written.includes(now);
  return { ...record, written: [isOwn ? now : (record.written.at(-1) ?? ABSENT), written], isMixed: record.isMixed || !isOwn };
}

/** The digest of a state, or the word for one without. */
function stateOf(before: FileBefore): string {
  switch (before.type) {
    case "absent":
      return ABSENT;
    case "too-large":
      return TOO_LARGE;
    case "file":
      return digestOf(before.content);
  }
}

function withoutCopy(row: NewCheckpoint): NewCheckpoint {
  const { before } = row;
  return before.type === "kept" ? { ...row, before: { type: "not-kept", sizeBytes: before.sizeBytes } } : row;
}
