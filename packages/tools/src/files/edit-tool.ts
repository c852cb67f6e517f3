import type { AgentTool, ChangeChecker } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import { applyEdits } from "./apply-edits.ts";
import { changeChecked } from "./change-checked.ts";
import { PATH_ALIASES, PathSchema } from "./path-parameter.ts";
import { readEditable } from "./read-editable.ts";
import { remarkText } from "./remark-text.ts";
import { unifiedDiff } from "./unified-diff.ts";

const EditSchema = z.strictObject({
  path: PathSchema,
  edits: z
    .array(
      z.strictObject({
        oldText: z.string().min(1).describe("Exact, with indentation; must match once unless replaceAll is true"),
        newText: z.string(),
        replaceAll: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(100),
});

/** Replaces exact pieces of a text file: all of the edits or none. */
export function createEditTool({
  files,
  checker,
}: {
  readonly files: FileAccess;
  readonly checker?: ChangeChecker | undefined;
}): AgentTool {
  return defineTool({
    name: "edit",
    summary: "Replace exact text in a file",
    description: "Replaces exactly matching text in a UTF-8 file, one edit after another, all or nothing.",
    schema: EditSchema,
    aliases: PATH_ALIASES,
    traits: { effect: "write", idempotent: false, output: "trusted", network: false, parallel: false },
    inspect: async ({ path, edits }) => ({
      type: "action",
      text: [`Edit ${path}:`, ...edits.map(describeEdit)].join("\n"),
      binding: { path, edits: edits.map(({ oldText, newText, replaceAll = false }) => ({ oldText, newText, replaceAll })) },
    }),
    changedInstructions: async ({ path }, run) => (await files.forRun(run)).findInstructions([path]),
    async execute({ path, edits }, { run, signal, tainted }) {
      const access = await files.forRun(run);
      await using file = await access.openFile(path).catch((error: unknown) => {
        throw isMissing(error) ? new FileAccessError(error.code, `${error.message} write creates a new file.`, { cause: error }) : error;
      });
      const { text: before } = await readEditable(file);
      const outcome = applyEdits(before, edits);
      if (outcome.type === "refused") {
        const which = edits.length === 1 ? "" : `Edit ${outcome.index + 1} of ${edits.length}: `;
        return errorResult(`${file.shown} was not changed. ${which}${outcome.message}`);
      }
      signal.throwIfAborted();
      const planned = { path, before: { path: file.path, shown: file.shown, text: before }, after: outcome.text };
      const { made, errors, untrusted } = await changeChecked(
        [planned],
        async () => access.write(path, outcome.text, { tainted, unchangedSince: file.version }),
        { checker, access, run, signal },
      );
      const { shown, remark } = made;
      const count = outcome.replacements === 1 ? "1 replacement" : `${outcome.replacements} replacements`;
      const diff = await unifiedDiff([{ path: shown, before, after: outcome.text }]);
      const details = { path: shown, replacements: outcome.replacements, ...diff };
      return textResult(`Edited ${shown} (${count})${remarkText(remark)}${errors}`, { details, untrusted });
    },
  });
}

function isMissing(error: unknown): error is FileAccessError {
  return error instanceof FileAccessError && error.code === "not-found";
}

/** One edit for the owner, in the form of a diff. */
function describeEdit({ oldText, newText, replaceAll }: z.output<typeof EditSchema>["edits"][number]): string {
  const marked = (mark: string, text: string): readonly string[] => (text === "" ? [] : text.split("\n").map((line) => `${mark}${line}`));
  return [replaceAll === true ? "@@ everywhere" : "@@", ...marked("-", oldText), ...marked("+", newText)].join("\n");
}
