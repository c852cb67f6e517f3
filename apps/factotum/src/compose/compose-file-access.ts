import { join } from "node:path";
import type { AuditNotes, CommandRunner, EditorFiles, FileCheckpoints, FileProvenance, Logger, RunFacts } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import {
  CheckpointKeeper,
  createFileProvenance,
  findNotes,
  isTaintBinding,
  markTaintedLines,
  type CheckpointPorts,
  type InstructionPlaces,
} from "@factotum/gateway";
import { CommandNotes, NoteRules, NoteVersions } from "@factotum/memory";
import type { Store } from "@factotum/store";
import { createFileAccess, type FileAccess } from "@factotum/tools";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { composeNoteAudit, shownNoteChars } from "./compose-note-audit.ts";
import { conversationTexts } from "./conversation-texts.ts";
import { NoteChanges } from "./note-changes.ts";
import type { RunRoots } from "./run-roots.ts";

/** The dependencies of file access in addition to the paths. */
interface FileAccessParts {
  readonly store: Store;
  readonly editors: EditorFiles;
  readonly currentConfig: () => FactotumConfig;
  readonly roots: RunRoots;
  readonly secrets: SecretFilter;
  readonly logger: Logger;
}

/** The access of tools, and what files held before turns changed them. */
export interface ComposedFileAccess {
  readonly files: FileAccess;
  readonly checkpoints: CheckpointPorts;
  readonly provenance: FileProvenance;
  /** The same runner, whose commands are looked at for what they do to notes. */
  readonly watchNotes: (runner: CommandRunner) => CommandRunner;
  readonly audit: AuditNotes;
  /** Changes of the owner without a run, and what is kept of them. */
  readonly owned: { readonly files: FileAccess; readonly versions: NoteVersions; readonly changes: NoteChanges };
}

/** The file access of tools, the provenance of text in files, checkpoints, and the rules, versions and examination of notes. */
export function composeFileAccess(
  { paths, path: configPath }: LoadedConfig,
  { store, editors, currentConfig, roots, secrets, logger }: FileAccessParts,
): ComposedFileAccess {
  const places = (): InstructionPlaces => ({ agents: currentConfig().agents, skillFolders: roots.skillFolders() });
  const provenance = createFileProvenance({ store, places });
  const rules = new NoteRules({
    notesAt: async (path) => findNotes(path, places()),
    maxCharsOf: (agentId) => shownNoteChars(currentConfig(), agentId),
    textsOf: async (run) => conversationTexts(run, store),
    record: async (note, entries, present) => store.addNoteEntries(note, entries, present),
    sourcesOf: async (note) => store.readNoteEntries(note),
    startOf: async ({ runId }) => (await store.readTurn(runId))?.startedAtMs,
    now: () => systemClock.now(),
  });
  const options = {
    roots: roots.rootsOf,
    home: paths.home,
    protectedPaths: [configPath],
    userHome: paths.userHome,
    provenance,
  };
  const workspaceOf = (agentId: string): string | undefined => currentConfig().agents.find(({ id }) => id === agentId)?.workspace;
  const versions = new NoteVersions({
    folder: join(paths.stateFolder, "note-versions"),
    workspaceOf,
    isEnabled: () => currentConfig().tools.checkpoints,
    isUntrusted: async (path, run) => provenance.isUntrusted(path, run),
    now: () => systemClock.now(),
  });
  const keeper = new CheckpointKeeper({
    store,
    folder: join(paths.stateFolder, "checkpoints"),
    isEnabled: () => currentConfig().tools.checkpoints,
    now: () => systemClock.now(),
  });
  const owned = createFileAccess({ ...options, checkpoints: versions });
  const agentsOf = async (path: string): Promise<readonly string[]> => (await findNotes(path, places())).map(({ agentId }) => agentId);
  const changes = new NoteChanges(agentsOf);
  const commandNotes = new CommandNotes({
    workspaceOf,
    rules,
    keepVersion: async ({ path, before }, run) => {
      await keepText(versions, { path, before, run });
      changes.announce(run.agentId);
    },
    isTainted: async (run, tainted) => isTaintBinding(run, tainted || !run.owner, { store }),
    markTainted: async (path, lines) => markTaintedLines({ path, lines }, { store, places: places() }),
    now: () => systemClock.now(),
    logger,
  });
  return {
    owned: { files: owned, versions, changes },
    watchNotes: (runner) => commandNotes.watch(runner),
    provenance,
    files: createFileAccess({ ...options, editor: editors, notes: changes.watch(rules), checkpoints: keepBoth(keeper, versions) }),
    checkpoints: { keeper, restoring: createFileAccess(options) },
    audit: composeNoteAudit({ store, currentConfig, places, secrets }),
  };
}

async function keepText(
  versions: NoteVersions,
  { path, before, run }: { readonly path: string; readonly before: string; readonly run: RunFacts },
): Promise<void> {
  const content = Buffer.from(before);
  if (versions.keeps(run)) await versions.beforeChange([{ path, before: { type: "file", content, mode: 0o600 } }], run);
}

/** Each keeps the changes that it keeps; what neither does is not read. */
function keepBoth(one: FileCheckpoints, other: FileCheckpoints): FileCheckpoints {
  return {
    maxBytes: Math.max(one.maxBytes, other.maxBytes),
    keeps: (run) => one.keeps(run) || other.keeps(run),
    beforeChange: async (changes, run) => {
      for (const keeper of [one, other]) if (keeper.keeps(run)) await keeper.beforeChange(changes, run);
    },
  };
}
