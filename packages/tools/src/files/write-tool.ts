import { Buffer } from "node:buffer";
import { plural } from "@factotum/agent-contract";
import type { AgentTool, ChangeChecker } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";
import type { FileAccess, RunFiles } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import { changeChecked, type PlannedText } from "./change-checked.ts";
import { remarkText } from "./remark-text.ts";
import { PATH_ALIASES, PathSchema } from "./path-parameter.ts";
import { readEditable } from "./read-editable.ts";

const WriteSchema = z.strictObject({ path: PathSchema, content: z.string() });

/** Creates or replaces a file atomically: a reader sees the old content or the new. */
export function createWriteTool({
  files,
  checker,
}: {
  readonly files: FileAccess;
  readonly checker?: ChangeChecker | undefined;
}): AgentTool {
  return defineTool({
    name: "write",
    summary: "Create a file or replace its content",
    description: "Creates a file, with missing folders, or replaces its whole content. To change a part, use edit.",
    schema: WriteSchema,
    aliases: PATH_ALIASES,
    traits: { effect: "write", idempotent: true, output: "trusted", network: false, parallel: false },
    inspect: async ({ path, content }) => ({ type: "action", text: `Write ${path}:\n${content}`, binding: { path, content } }),
    changedInstructions: async ({ path }, run) => (await files.forRun(run)).findInstructions([path]),
    async execute({ path, content }, { run, signal, tainted }) {
      const access = await files.forRun(run);
      const planned = checker?.covers(path, run) === true ? await planText(path, content, access) : [];
      signal.throwIfAborted();
      const { made, errors, untrusted } = await changeChecked(planned, async () => access.write(path, content, { tainted }), {
        checker,
        access,
        run,
        signal,
      });
      const { shown, remark } = made;
      const bytesWritten = Buffer.byteLength(content);
      const details = { path: shown, bytesWritten };
      return textResult(`Wrote ${shown} (${plural(bytesWritten, "byte")})${remarkText(remark)}${errors}`, { details, untrusted });
    },
  });
}

/** With the text that is replaced; none for a file whose text cannot be read, since nothing could be compared. */
async function planText(path: string, after: string, access: RunFiles): Promise<readonly PlannedText[]> {
  try {
    await using file = await access.openFile(path);
    return [{ path, before: { path: file.path, shown: file.shown, text: (await readEditable(file)).text }, after }];
  } catch (error) {
    if (!(error instanceof FileAccessError)) throw error;
    return error.code === "not-found" ? [{ path, after }] : [];
  }
}
