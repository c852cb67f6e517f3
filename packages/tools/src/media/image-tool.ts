import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { MediaToolsOptions } from "./media-tools-options.ts";
import { readImages } from "./read-images.ts";

const MAX_IMAGES = 20;
const DESCRIBE = "Describe these images, and repeat the text in them.";

const ImageSchema = z.strictObject({
  images: z.array(z.string().min(1).max(4_096)).min(1).max(MAX_IMAGES).describe("Paths of files, or web addresses"),
  question: z.string().trim().min(1).max(4_000).optional().describe("Default: what they show"),
});

/** Has a model that sees images answer a question about some. What it answers counts as text of others: an image can hold anybody's words. */
export function createImageTool({ media, files, web }: Pick<MediaToolsOptions, "media" | "files" | "web">): AgentTool {
  return defineTool({
    name: "image",
    summary: "Ask a model that sees images about some",
    description:
      "Answers a question about PNG, JPEG, GIF or WebP images, through a model that sees them. For what you cannot see yourself.",
    schema: ImageSchema,
    traits: { effect: "read", idempotent: true, output: "untrusted", network: true, parallel: true },
    async execute({ images: named, question = DESCRIBE }, { run, signal }) {
      const access = await files.forRun(run);
      const read = await readImages(named, { access, web, run, signal });
      if (read.type === "failed") return errorResult(read.message);
      const answer = await media.lookAt(read.images, question, { run, signal });
      return answer.type === "failed" ? errorResult(answer.message) : textResult(answer.result);
    },
  });
}
