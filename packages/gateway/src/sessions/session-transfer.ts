import { withoutUndefined } from "@factotum/agent-contract";
import type { Random, Clock } from "@factotum/agent-contract";
import type { Store, ImportReport, SessionRecord } from "@factotum/store";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { RpcMethods, SessionImportReport, SessionSummary } from "@factotum/protocol";
import { importSessionFile, importSessionFolder, renderEntry, renderHeader, renderSessionEntry, StoreError } from "@factotum/store";
import type { SessionEvents } from "../events/session-events.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { isSessionKey, normalizeSessionKey } from "../routing/session-key.ts";
import { describeProblems } from "./describe-problems.ts";
import { promptSnapshots } from "./prompt-snapshots.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { SessionService } from "./session-service.ts";

/** Maximum entries in one part of an export. */
const PART_ENTRIES = 200;
/** A part ends after the entry that reaches this length. */
const PART_CHARS = 512 * 1024;

/** Dependencies of session transfer. */
export interface SessionTransferOptions {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly sessions: SessionService;
  readonly events: SessionEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly hideSecrets: (text: string) => string;
  readonly asideFolder: string;
  /** Worker script that reads session files, in a bundled product. */
  readonly worker?: URL | undefined;
}

/** Shows, exports and imports whole sessions. */
export class SessionTransfer {
  readonly #options: SessionTransferOptions;
  readonly #sessions: SessionService;
  readonly #closing = new AbortController();

  constructor(options: SessionTransferOptions) {
    this.#sessions = options.sessions;
    this.#options = options;
  }

  /** Aborts running imports and removes the session that each has started. */
  close(reason: string): void {
    this.#closing.abort(new LaneShutdown(reason));
  }

  /** Every field of a `sessions.json`, including prompt and skills snapshots. */
  async show(session: SessionSummary): Promise<RpcMethods["sessions.show"]["result"]> {
    const record = await this.#require(session.key);
    const { store, hideSecrets } = this.#options;
    const prompt = await store.readPrompt(record.sessionId);
    return { session, entry: { ...renderSessionEntry(record), ...(prompt === undefined ? {} : promptSnapshots(prompt, hideSecrets)) } };
  }

  /** One part of the plain file: as many entries as fit, and the cursor of the next part. */
  async export(
    key: string,
    from: { readonly sessionId?: string; readonly after?: string },
  ): Promise<RpcMethods["sessions.export"]["result"]> {
    const record = await this.#require(key);
    const { sessionId } = record;
    if (from.sessionId !== undefined && from.sessionId !== sessionId)
      throw new RpcError("conflict", `The session ${key} was reset while it was exported. Export it again.`);
    const { store } = this.#options;
    const { agents } = this.#options.running;
    const cwd = (agents.get(record.agentId) ?? agents.default).config.workspace;
    const isFirst = from.after === undefined;
    const lines = isFirst ? [renderHeader({ sessionId, startedAtMs: record.startedAtMs, cwd, session: record })] : [];
    let entries = 0;
    let chars = 0;
    let last: string | undefined;
    for await (const entry of store.exportTranscript(sessionId, from.after === undefined ? undefined : { after: from.after })) {
      if (last !== undefined && (entries >= PART_ENTRIES || chars >= PART_CHARS)) return { sessionId, lines, after: last };
      const line = renderEntry(entry);
      lines.push(line);
      entries += 1;
      chars += line.length;
      last = entry.id;
    }
    return { sessionId, lines };
  }

  /**
   * Imports a folder of sessions or one transcript. Never overwrites existing sessions and never changes the source. When the signal fires, the session in
   * progress is removed.
   */
  async import(
    params: RpcMethods["sessions.import"]["params"],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<SessionImportReport> {
    const { store, clock, random, events } = this.#options;
    const { agents } = this.#options.running;
    if (!path.isAbsolute(params.path)) throw new RpcError("invalid-request", "The path must be absolute.");
    if (params.key !== undefined && !isSessionKey(params.key))
      throw new RpcError("invalid-request", `"${params.key}" is no session key. A key looks like agent:main:main.`);
    // Throws for an agent that is not configured.
    if (params.agentId !== undefined) this.#sessions.mainKey(params.agentId);
    const options = {
      agentId: params.agentId?.toLowerCase() ?? agents.default.config.id,
      isForAll: params.agentId !== undefined,
      agents: new Set(agents.list().map(({ config }) => config.id)),
      nowMs: clock.now(),
      isTrial: params.dryRun ?? false,
      signal: AbortSignal.any([signal, this.#closing.signal]),
      ...withoutUndefined({ worker: this.#options.worker }),
    };
    const report = await this.#take(params.path, async (isFolder) => {
      if (!isFolder) {
        const key = params.key === undefined ? {} : { key: normalizeSessionKey(params.key) };
        return importSessionFile(store, params.path, { ...options, ...key, random });
      }
      if (params.key !== undefined)
        throw new RpcError("invalid-request", "A key is for a single transcript; a folder brings its own keys.");
      return importSessionFolder(store, params.path, { ...options, asideFolder: this.#options.asideFolder });
    });
    if (!options.isTrial) for (const { key } of report.imported) events.sessionChanged(key);
    const imported = report.imported.map(({ problems, ...session }) => ({ ...session, problems: describeProblems(problems) }));
    return { ...report, imported };
  }

  async #take(from: string, take: (isFolder: boolean) => Promise<ImportReport>): Promise<ImportReport> {
    try {
      return await take((await stat(from)).isDirectory());
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "invalid") throw new RpcError("invalid-request", error.message);
      if (error instanceof Error && "syscall" in error) throw new RpcError("invalid-request", `${from} cannot be read: ${error.message}`);
      throw error;
    }
  }

  async #require(key: string): Promise<SessionRecord> {
    const record = await this.#options.store.readSession(key);
    if (record === undefined) throw new RpcError("not-found", `There is no session "${key}".`);
    return record;
  }
}
