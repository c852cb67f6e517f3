import { Buffer } from "node:buffer";
import { plural } from "@factotum/agent-contract";
import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { PATH_ALIASES, PathSchema } from "./path-parameter.ts";

const WriteSchema = z.strictObject({ path: PathSchema, content: z.string() });

/** Creates or replaces a file atomically: a reader sees the old content or the new. */
export function createWriteTool({ files }: { readonly files: FileAccess }): AgentTool {
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
      signal.throwIfAborted();
      const { shown } = await access.write(path, content, { tainted });
      const bytesWritten = Buffer.byteLength(content);
      return textResult(`Wrote ${shown} (${plural(bytesWritten, "byte")})`, { details: { path: shown, bytesWritten } });
    },
  });
}
