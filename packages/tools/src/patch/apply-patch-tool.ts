import type { AgentTool, ChangeChecker } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import type { FileChange } from "../file-access/plan-changes.ts";
import { MAX_EDIT_BYTES } from "../files/apply-edits.ts";
import { changeChecked, type PlannedText } from "../files/change-checked.ts";
import { readEditable } from "../files/read-editable.ts";
import { remarkText } from "../files/remark-text.ts";
import { unifiedDiff, type TextChange } from "../files/unified-diff.ts";
import { applyHunks } from "./apply-hunks.ts";
import { parsePatch, PatchError, type PatchSection } from "./parse-patch.ts";

const MAX_PATCH_CHARS = 1_000_000;
const MAX_FILES = 100;

const ApplyPatchSchema = z.strictObject({
  patch: z.string().min(1).max(MAX_PATCH_CHARS),
});

/** What a section of the patch comes to: the changes on the disk, and the texts for the diff. */
interface Planned {
  readonly changes: readonly FileChange[];
  readonly text: TextChange;
  /** What is checked for errors; absent for a file that is deleted or moved. */
  readonly checked?: PlannedText;
  /** For the result: `changed a.txt`. */
  readonly summary: string;
}

/** Adds, changes, moves and deletes files by one patch: all of it or nothing. */
export function createApplyPatchTool({
  files,
  checker,
}: {
  readonly files: FileAccess;
  readonly checker?: ChangeChecker | undefined;
}): AgentTool {
  return defineTool({
    name: "apply_patch",
    summary: "Change several files by one patch",
    description:
      "Applies a patch to one or more files, all or nothing. Between *** Begin Patch and *** End Patch, for each file: *** Add File: PATH and + lines; *** Delete File: PATH; or *** Update File: PATH, maybe *** Move to: PATH, and hunks: @@, maybe with a line above the place, then lines that begin with a space, - or +.",
    schema: ApplyPatchSchema,
    aliases: { input: "patch" },
    traits: { effect: "write", idempotent: false, output: "trusted", network: false, parallel: false },
    inspect: async ({ patch }) => ({ type: "action", text: patch, binding: { patch } }),
    changedInstructions: async ({ patch }, run) => (await files.forRun(run)).findInstructions(changedPaths(patch)),
    async execute({ patch }, { run, signal, tainted }) {
      const access = await files.forRun(run);
      try {
        const sections = parsePatch(patch);
        if (sections.length > MAX_FILES) throw new PatchError(`The patch has ${sections.length} files; at most ${MAX_FILES}.`);
        requireOneHeaderEach(sections);
        const planned: Planned[] = [];
        for (const section of sections) {
          signal.throwIfAborted();
          planned.push(await plan(section, access));
        }
        signal.throwIfAborted();
        const { made, errors, untrusted } = await changeChecked(
          planned.flatMap(({ checked }) => checked ?? []),
          async () =>
            access.change(
              planned.flatMap(({ changes }) => changes),
              { tainted },
            ),
          { checker, access, run, signal },
        );
        const summaries = planned.map(({ summary }) => summary);
        const details = { files: summaries, ...(await unifiedDiff(planned.map(({ text }) => text))) };
        return textResult(`Applied the patch: ${summaries.join(", ")}${made.map(({ remark }) => remarkText(remark)).join("")}${errors}`, {
          details,
          untrusted,
        });
      } catch (error) {
        if (error instanceof PatchError) return errorResult(`Nothing was changed. ${error.message}`);
        if (error instanceof FileAccessError)
          return errorResult(`Nothing was changed. ${error.message}`, { details: { code: error.code } });
        throw error;
      }
    },
  });
}

/** The files that a patch names; none of one that cannot be read. */
function changedPaths(patch: string): readonly string[] {
  try {
    return parsePatch(patch).flatMap((section) => [section.path, ...(section.type === "update" ? [section.moveTo ?? []].flat() : [])]);
  } catch (error) {
    if (error instanceof PatchError) return [];
    throw error;
  }
}

function requireOneHeaderEach(sections: readonly PatchSection[]): void {
  const paths = new Set<string>();
  for (const { path } of sections) {
    if (paths.has(path)) throw new PatchError(`${path} has two headers; put all of its hunks below one.`);
    paths.add(path);
  }
}

async function plan(section: PatchSection, access: RunFiles): Promise<Planned> {
  switch (section.type) {
    case "add":
      return planAdded(section, access);
    case "delete":
      return planDeleted(section, access);
    case "update":
      return planUpdated(section, access);
  }
}

async function planAdded({ path, content }: Extract<PatchSection, { type: "add" }>, access: RunFiles): Promise<Planned> {
  await requireAbsent(path, access, "use *** Update File, or *** Delete File first in another patch");
  return {
    changes: [{ type: "write", path, data: content, unchangedSince: "absent" }],
    text: { path, after: content },
    checked: { path, after: content },
    summary: `added ${path}`,
  };
}

async function planDeleted({ path }: Extract<PatchSection, { type: "delete" }>, access: RunFiles): Promise<Planned> {
  await using file = await access.openFile(path);
  const before = await textForDiff(file);
  return {
    changes: [{ type: "remove", path, unchangedSince: file.version }],
    text: { path: file.shown, ...(before !== undefined && { before }) },
    summary: `deleted ${file.shown}`,
  };
}

async function planUpdated({ path, moveTo, hunks }: Extract<PatchSection, { type: "update" }>, access: RunFiles): Promise<Planned> {
  await using file = await access.openFile(path);
  const { text: before, mode } = await readEditable(file);
  const outcome = applyHunks(before, hunks);
  if (outcome.type === "refused") throw new PatchError(`${file.shown}: ${outcome.message}`);
  const after = outcome.text;
  const bytes = Buffer.byteLength(after);
  if (bytes > MAX_EDIT_BYTES) throw new PatchError(`${file.shown} would have ${bytes} bytes; at most ${MAX_EDIT_BYTES}.`);
  if (moveTo === undefined || moveTo === path) {
    return {
      changes: [{ type: "write", path, data: after, unchangedSince: file.version }],
      text: { path: file.shown, before, after },
      checked: { path, before: { path: file.path, shown: file.shown, text: before }, after },
      summary: `changed ${file.shown}`,
    };
  }
  await requireAbsent(moveTo, access, "it would be overwritten");
  return {
    changes: [
      { type: "write", path: moveTo, data: after, mode, unchangedSince: "absent" },
      { type: "remove", path, unchangedSince: file.version },
    ],
    text: { path: file.shown, movedTo: moveTo, before, after },
    summary: `moved ${file.shown} to ${moveTo}`,
  };
}

async function requireAbsent(path: string, access: RunFiles, advice: string): Promise<void> {
  try {
    await using found = await access.open(path);
    throw new PatchError(`${found.shown} exists already; ${advice}.`);
  } catch (error) {
    if (error instanceof FileAccessError && error.code === "not-found") return;
    throw error;
  }
}

/** The text of a file that is deleted; none of one that is no text, or large. */
async function textForDiff(file: OpenFile): Promise<string | undefined> {
  try {
    return (await readEditable(file)).text;
  } catch (error) {
    if (error instanceof FileAccessError) return undefined;
    throw error;
  }
}
