import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { textResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { PATH_ALIASES, PathSchema } from "./path-parameter.ts";

/** Names read of one folder; more are counted as "more". */
const MAX_SCANNED = 20_000;
const DEFAULT_LIMIT = 500;

const LsSchema = z.strictObject({
  path: PathSchema.optional(),
  limit: z.int().min(1).max(5_000).optional().describe(`Default ${DEFAULT_LIMIT}`),
});

/** Lists one folder. */
export function createLsTool({ files }: { readonly files: FileAccess }): AgentTool {
  return defineTool({
    name: "ls",
    summary: "List a folder",
    description: `Lists a folder (default: the workspace), including hidden entries. Names of folders end in "/".`,
    schema: LsSchema,
    aliases: PATH_ALIASES,
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    async execute({ path = ".", limit = DEFAULT_LIMIT }, { run, signal }) {
      await using folder = await (await files.forRun(run)).openFolder(path);
      const names: string[] = [];
      for await (const entry of folder.entries()) {
        signal.throwIfAborted();
        names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
        if (names.length > MAX_SCANNED) break;
      }
      // By code unit, so that the order is the same on every machine.
      names.sort();
      const entries = names.slice(0, limit);
      const facts = { details: { path: folder.shown, entries, total: names.length }, untrusted: folder.untrusted };
      if (names.length === 0) return textResult("(empty folder)", facts);
      const total = names.length > MAX_SCANNED ? `more than ${MAX_SCANNED}` : String(names.length);
      const note =
        entries.length < names.length ? `[${entries.length} of ${total} entries shown; use find with a pattern, or a higher limit.]\n` : "";
      return textResult(`${entries.join("\n")}\n${note}`, facts);
    },
  });
}
