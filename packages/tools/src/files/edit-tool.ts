import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import { applyEdits, MAX_EDIT_BYTES } from "./apply-edits.ts";
import { PATH_ALIASES, PathSchema } from "./path-parameter.ts";

const EditSchema = z.strictObject({
  path: PathSchema,
  edits: z
    .array(
      z.strictObject({
        oldText: z
          .string()
          .min(1)
          .describe("Exact text to replace, including indentation; must match exactly once unless replaceAll is true"),
        newText: z.string().describe("Replacement; empty deletes the text"),
        replaceAll: z.boolean().optional().describe("Replace every match; default false"),
      }),
    )
    .min(1)
    .max(100),
});

/** Replaces exact pieces of a text file: all of the edits or none. */
export function createEditTool({ files }: { readonly files: FileAccess }): AgentTool {
  return defineTool({
    name: "edit",
    summary: "Replace exact text in a file",
    description: "Replaces exactly matching text in a UTF-8 file, one edit after another. Either all edits are made or none.",
    schema: EditSchema,
    aliases: PATH_ALIASES,
    traits: { effect: "write", idempotent: false, output: "trusted", network: false, parallel: false },
    async execute({ path, edits }, { run, signal, tainted }) {
      const access = await files.forRun(run);
      await using file = await access.openFile(path);
      const outcome = applyEdits(await readText(file), edits);
      if (outcome.type === "refused") {
        const which = edits.length === 1 ? "" : `Edit ${outcome.index + 1} of ${edits.length}: `;
        return errorResult(`${file.shown} was not changed. ${which}${outcome.message}`);
      }
      signal.throwIfAborted();
      const { shown } = await access.write(path, outcome.text, { tainted, unchangedSince: file.version });
      const count = outcome.replacements === 1 ? "1 replacement" : `${outcome.replacements} replacements`;
      return textResult(`Edited ${shown} (${count})`, { details: { path: shown, replacements: outcome.replacements } });
    },
  });
}

async function readText(file: OpenFile): Promise<string> {
  if (file.sizeBytes > MAX_EDIT_BYTES) {
    throw new FileAccessError(
      "failed",
      `${file.shown} is too large to edit (${file.sizeBytes} bytes; at most ${MAX_EDIT_BYTES}). Use exec with sed instead.`,
    );
  }
  const bytes = await file.handle.readFile();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new FileAccessError("not-a-file", `${file.shown} is not UTF-8 text, so it cannot be edited.`, { cause: error });
  }
}
