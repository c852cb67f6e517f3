import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { commandSandbox } from "@factotum/agent-contract";
import type { CommandRequest, CommandRunner, Logger, RunFacts, RunningCommand } from "@factotum/agent-contract";
import { listNotes, readNote } from "../notes/note-files.ts";
import type { NoteRules } from "./note-rules.ts";

/** Notes that have changed within this time are read before a command: of older ones it is only known whether they have changed. */
const RECENT_MS = 2 * 24 * 60 * 60_000;
const OWNER_NOTES = "USER.md";

/** What is needed to look at what commands do to notes. */
export interface CommandNotesOptions {
  /** The workspace of an agent; `undefined` if there is no such agent. */
  readonly workspaceOf: (agentId: string) => string | undefined;
  readonly rules: Pick<NoteRules, "recordChanged">;
  /** Keeps what a note held before. */
  readonly keepVersion: (change: { readonly path: string; readonly before: string }, run: RunFacts) => Promise<void>;
  /** Whether what a run writes counts as text of others. */
  readonly isTainted: (run: RunFacts, tainted: boolean) => Promise<boolean>;
  /** Marks lines of a note as text of others; without lines all of them. */
  readonly markTainted: (path: string, lines: string | undefined) => Promise<void>;
  readonly now: () => number;
  readonly logger: Logger;
}

/** A note before a command; `text` of those alone that were read. */
interface SeenNote {
  readonly state: string;
  readonly text?: string;
}

/**
 * Runs commands, and records what they have changed of the notes of their agent: who wrote which entry, which lines are text of others, and what the note held
 * before. A command is not refused: what it writes is known only when it exits.
 */
export class CommandNotes {
  readonly #options: CommandNotesOptions;

  constructor(options: CommandNotesOptions) {
    this.#options = options;
  }

  /** The same runner, whose commands end when their changes are recorded. */
  watch(runner: CommandRunner): CommandRunner {
    const start: CommandRunner["start"] = async (request, options) => {
      const before = mayWrite(options.run, request) ? await this.#look(options.run) : undefined;
      const running = await runner.start(request, options);
      return before === undefined ? running : this.#watched(running, { before, request, run: options.run });
    };
    return { start, run: async (request, options) => (await start(request, options)).ended };
  }

  #watched(
    running: RunningCommand,
    { before, request, run }: { readonly before: ReadonlyMap<string, SeenNote>; readonly request: CommandRequest; readonly run: RunFacts },
  ): RunningCommand {
    const recorded = async (): ReturnType<CommandRunner["run"]> => {
      const result = await running.ended;
      try {
        await this.#record(before, { run, tainted: request.tainted === true });
      } catch (error) {
        this.#options.logger.error("What a command changed of the notes could not be recorded", { agentId: run.agentId, error });
      }
      return result;
    };
    return {
      ended: recorded(),
      output: running.output,
      write: (text) => running.write(text),
      closeInput: () => running.closeInput(),
      kill: () => running.kill(),
    };
  }

  /** The notes as they are now; `undefined` for a run whose commands do not work in the workspace with the notes. */
  async #look(run: RunFacts): Promise<ReadonlyMap<string, SeenNote> | undefined> {
    const { now, logger } = this.#options;
    const isElsewhere = commandSandbox(run) !== undefined && run.workspace !== (await this.#workspaceOf(run));
    if (isElsewhere) return undefined;
    try {
      const seen = new Map<string, SeenNote>();
      for (const { file, mtimeMs, state, isCurated } of await this.#list(run)) {
        const text = isCurated || now() - mtimeMs < RECENT_MS ? await readNote(file) : undefined;
        seen.set(file, { state, ...(text === undefined ? {} : { text }) });
      }
      return seen;
    } catch (error) {
      logger.warn("The notes could not be read before a command", { agentId: run.agentId, error });
      return undefined;
    }
  }

  async #workspaceOf({ agentId }: RunFacts): Promise<string | undefined> {
    const workspace = this.#options.workspaceOf(agentId);
    return workspace === undefined ? undefined : realpath(workspace).catch(() => undefined);
  }

  async #list(
    run: RunFacts,
  ): Promise<readonly { readonly file: string; readonly mtimeMs: number; readonly state: string; readonly isCurated: boolean }[]> {
    const workspace = await this.#workspaceOf(run);
    if (workspace === undefined) return [];
    const { files } = await listNotes({ workspace, extraPaths: [] }, { signal: AbortSignal.timeout(10_000) });
    const own = join(workspace, OWNER_NOTES);
    const stats = await lstat(own).catch(() => undefined);
    const owners = stats?.isFile() === true ? [{ path: OWNER_NOTES, file: own, mtimeMs: stats.mtimeMs, sizeBytes: stats.size }] : [];
    return [...files, ...owners].map(({ path, file, mtimeMs, sizeBytes }) => ({
      file,
      mtimeMs,
      state: `${mtimeMs}/${sizeBytes}`,
      isCurated: !path.includes("/"),
    }));
  }

  async #record(
    before: ReadonlyMap<string, SeenNote>,
    { run, tainted }: { readonly run: RunFacts; readonly tainted: boolean },
  ): Promise<void> {
    const after = await this.#list(run);
    const present = new Set(after.map(({ file }) => file));
    const gone = [...before].filter(([file]) => !present.has(file)).map(([file]) => ({ file, text: "" }));
    const changed = after.filter(({ file, state }) => before.get(file)?.state !== state);
    if (gone.length + changed.length === 0) return;
    const isTainted = await this.#options.isTainted(run, tainted);
    for (const { file, text } of gone) await this.#compare(file, { seen: before.get(file), text, run, isTainted });
    for (const { file } of changed)
      await this.#compare(file, { seen: before.get(file), text: (await readNote(file)) ?? "", run, isTainted });
  }

  async #compare(
    path: string,
    change: { readonly seen: SeenNote | undefined; readonly text: string; readonly run: RunFacts; readonly isTainted: boolean },
  ): Promise<void> {
    const { rules, keepVersion, markTainted } = this.#options;
    const { seen, text, run, isTainted } = change;
    const before = seen === undefined ? "" : seen.text;
    if (before === text) return;
    if (before === undefined) {
      if (isTainted && text !== "") await markTainted(path, undefined);
      return;
    }
    if (before !== "") await keepVersion({ path, before }, run);
    const lines = await rules.recordChanged({ path, content: text, run, tainted: isTainted }, before);
    if (isTainted && lines !== "") await markTainted(path, lines);
  }
}

/** False for a command whose sandbox has a folder of its own, or shows it the agent's workspace read-only: it cannot change a note. */
function mayWrite(run: RunFacts, { tainted }: CommandRequest): boolean {
  const sandbox = commandSandbox(run);
  return sandbox === undefined || (sandbox.workspaceAccess === "rw" && tainted !== true);
}
