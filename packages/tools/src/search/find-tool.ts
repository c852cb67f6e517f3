import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { PathSchema } from "../files/path-parameter.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { GlobError, selectGlob } from "./select-glob.ts";
import { SlowPatternError } from "./guarded-match.ts";
import { walkFolder } from "./walk-folder.ts";

const DEFAULT_LIMIT = 200;

const FindSchema = z.strictObject({
  pattern: z.string().min(1).max(500).describe("Glob; without a / it matches names at any depth"),
  path: PathSchema.optional(),
  includeIgnored: z.boolean().optional().describe("Also return what .gitignore hides"),
  limit: z.int().min(1).max(2_000).optional().describe(`Default ${DEFAULT_LIMIT}`),
});

/** Finds files and folders by name. */
export function createFindTool({ files }: { readonly files: FileAccess }): AgentTool {
  return defineTool({
    name: "find",
    summary: "Find files and folders by glob",
    description: "Finds files and folders by glob, such as *.md or src/**/*.ts. Skips what .gitignore hides.",
    schema: FindSchema,
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    async execute({ pattern, path = ".", includeIgnored = false, limit = DEFAULT_LIMIT }, { run, signal }) {
      const access = await files.forRun(run);
      await using folder = await access.openFolder(path);
      const found: string[] = [];
      let more = false;
      try {
        const rules = includeIgnored ? undefined : await IgnoreRules.above(folder.path, access);
        for await (const entry of walkFolder(folder, { rules, select: await selectGlob(pattern), signal })) {
          more = found.length >= limit;
          if (more) break;
          found.push(entry.shown);
        }
      } catch (error) {
        if (error instanceof GlobError || error instanceof SlowPatternError) return errorResult(error.message);
        throw error;
      }
      const facts = { details: { paths: found, more }, untrusted: folder.untrusted };
      if (found.length === 0) return textResult("Nothing found.", facts);
      const note = more ? `[Stopped after ${limit}; use a narrower pattern or path, or a higher limit.]\n` : "";
      return textResult(`${found.join("\n")}\n${note}`, facts);
    },
  });
}
