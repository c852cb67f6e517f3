import { lstatSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { RunFacts } from "@factotum/agent-contract";
import { withEditorText } from "./editor-text.ts";
import { FileAccessError, toFileAccessError } from "./file-access-error.ts";
import { Grants, isWithin, realPathOf, realPathOfAny, type FileAccessOptions } from "./grants.ts";
import { toMissingError } from "./missing-file.ts";
import { openChecked, requireGranted } from "./open-checked.ts";
import type { FileVersion, OpenFile } from "./open-file.ts";
import { toOpen, type OpenContext, type OpenFolder } from "./open-folder.ts";
import { parsePath } from "./parse-path.ts";
import { planChanges, requirePlace, type ChangeOptions, type FileChange } from "./plan-changes.ts";

/** The files that tools may access (R21). */
export interface FileAccess {
  /** The files of one run: folders and their real paths are looked up once, so create it again for every call. */
  forRun(run: RunFacts): Promise<RunFiles>;
}

/** A file that was changed. */
interface ChangedFile {
  /** Its path as shown to the model. */
  readonly shown: string;
  /** For the model: how the written content differs from the one that it gave, and why. */
  readonly remark?: string;
}

/** The files one run may access. Every method rejects with a FileAccessError whose message is for the model. */
export interface RunFiles {
  /** Opens a file or folder. */
  open(path: string): Promise<OpenFile | OpenFolder>;
  openFile(path: string): Promise<OpenFile>;
  openFolder(path: string): Promise<OpenFolder>;
  /**
   * Replaces or creates a file atomically, with its missing folders. With `unchangedSince` it refuses (`changed`) if the file is no longer the one that was
   * read; a tainted call may not change every file (`needs-confirmation`).
   */
  write(path: string, data: string, options: { readonly tainted: boolean; readonly unchangedSince?: FileVersion }): Promise<ChangedFile>;
  /**
   * Makes all changes or none; each file changes atomically. A tainted call may not change every file (`needs-confirmation`), and notes have rules of their own
   * (`unsuitable`). Resolves with the files, in order.
   */
  change(changes: readonly FileChange[], options: ChangeOptions): Promise<readonly ChangedFile[]>;
  /** Rejects where a file of this path could not be written now, before work whose result goes there. Changes nothing. */
  requireWritable(path: string): Promise<void>;
  /** The first of these paths whose file the run may write and later turns follow as instructions, by its name; `undefined` without one. */
  findInstructions(paths: readonly string[]): Promise<string | undefined>;
  /** True for a path that is one of the gateway's own, closed to tools, and for a folder around one. Of something that cannot be a path it is false. */
  isReserved(path: string): Promise<boolean>;
  /** A real path as shown to the model: relative to the workspace if inside. Else absolute, but for people other than the owner relative or with `~`. */
  show(path: string): string;
}

/**
 * Default deny: a path is resolved against the workspace, its symbolic links are resolved, the result must be in a granted folder, and the real path of the
 * opened handle is checked once more. The state folder is closed, except for the tools' folders in it.
 */
export function createFileAccess(options: FileAccessOptions): FileAccess {
  return {
    async forRun(run) {
      const show = (path: string): string => showPath(path, run, options.userHome);
      const { provenance, editor } = options;
      const context: OpenContext = {
        grants: new Grants(run, options),
        workspace: run.owner ? `the workspace ${run.workspace}` : "the workspace",
        show,
        isUntrusted: async (path) => (await provenance?.isUntrusted(path, run)) ?? false,
      };
      const parse = (text: string): string =>
        parsePath(text, { workspace: run.workspace, ...withoutUndefined({ userHome: options.userHome }) });

      const open = async (text: string): Promise<OpenFile | OpenFolder> => {
        const path = parse(text);
        const shown = show(path);
        try {
          const real = await resolveExisting(path, context);
          const at = { real, shown, workspace: context.workspace, grants: context.grants };
          // It was just resolved: the system has it in memory.
          const opened = await toOpen(await openChecked(real, at, lstatSync(real)), context);
          return opened.type === "file" && editor !== undefined ? await withEditorText(opened, { editor, run, context }) : opened;
        } catch (error) {
          const failure = toFileAccessError(error, shown);
          throw failure.code === "not-found" ? await toMissingError(path, context, error) : failure;
        }
      };
      const change: RunFiles["change"] = async (changes, how) =>
        (await planChanges(changes, how, { ...options, run, context, parse })).map(({ path, ...rest }) => ({ shown: show(path), ...rest }));
      return {
        open,
        async openFile(text) {
          const opened = await open(text);
          if (opened.type === "file") return opened;
          await opened[Symbol.asyncDispose]();
          throw new FileAccessError("not-a-file", `${opened.shown} is a folder; list it with ls.`);
        },
        async openFolder(text) {
          const opened = await open(text);
          if (opened.type === "folder") return opened;
          await opened[Symbol.asyncDispose]();
          throw new FileAccessError("not-a-folder", `${opened.shown} is a file, not a folder.`);
        },
        async write(text, data, { tainted, unchangedSince }) {
          const [written] = await change([{ type: "write", path: text, data, ...withoutUndefined({ unchangedSince }) }], { tainted });
          return written ?? { shown: text };
        },
        change,
        requireWritable: (text) => requirePlace(text, { ...options, run, context, parse }),
        async findInstructions(paths) {
          for (const text of paths) {
            const real = await realPathOfAny(parse(text));
            const decision = await context.grants.decide(real);
            const name = decision.type === "granted" && decision.writable ? await provenance?.instructionAt(real) : undefined;
            if (name !== undefined) return name;
          }
          return undefined;
        },
        isReserved: async (text) => {
          try {
            return await context.grants.holdsReserved(await realPathOfAny(parse(text)));
          } catch (error) {
            if (error instanceof FileAccessError) return false;
            throw error;
          }
        },
        show,
      };
    },
  };
}

/** Relative inside the workspace. Outside it absolute for the owner; others learn nothing of the host's folders. */
function showPath(path: string, { workspace, owner }: RunFacts, userHome: string | undefined): string {
  if (isWithin(workspace, path)) return relative(workspace, path) || ".";
  if (owner) return path;
  if (userHome !== undefined && isWithin(userHome, path)) return join("~", relative(userHome, path));
  return relative(workspace, path);
}

/** The real path of something that exists and is granted. Anything outside is refused in the same way, whether it exists or not. */
async function resolveExisting(path: string, context: OpenContext): Promise<string> {
  const found = await realPathOf(path);
  const real = found ?? (await realPathOfAny(path));
  if (found !== undefined) await context.grants.lookUp(path);
  requireGranted(await context.grants.decide(real), context.show(path), context.workspace);
  // Rejects with the reason it cannot be followed.
  return found ?? realpath(real);
}
