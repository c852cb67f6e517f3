import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { MediaToolsOptions } from "./media-tools-options.ts";
import { keepMadeFile, requireFolder, SEND_HINT } from "./keep-made-file.ts";
import { readImages } from "./read-images.ts";

const MAX_COUNT = 4;
const MAX_INPUTS = 8;

const ImageGenerateSchema = z.strictObject({
  prompt: z.string().trim().min(1).max(8_000),
  size: z
    .string()
    .regex(/^[1-9]\d{0,4}(?:x|:)[1-9]\d{0,4}$/, "write pixels, such as 1536x1024, or an aspect, such as 3:2")
    .optional()
    .describe("Pixels (1536x1024) or aspect (3:2)"),
  count: z.int().min(1).max(MAX_COUNT).optional().describe("Default 1"),
  images: z.array(z.string().min(1).max(4_096)).max(MAX_INPUTS).optional().describe("Paths of images to change or combine"),
});

/** Makes images with the configured model, as files of the workspace. */
export function createImageGenerateTool({ media, files }: Pick<MediaToolsOptions, "media" | "files">): AgentTool {
  return defineTool({
    name: "image_generate",
    summary: "Make or change images by a description",
    description: "Makes images by a description, or changes given ones, and saves them in the workspace. The result has the paths.",
    schema: ImageGenerateSchema,
    traits: { effect: "write", idempotent: false, output: "trusted", network: true, ownServices: true, parallel: false },
    async execute({ prompt, size, count = 1, images = [] }, { run, signal, tainted }) {
      const access = await files.forRun(run);
      await requireFolder(access);
      const read = await readImages(images, { access, run, signal });
      if (read.type === "failed") return errorResult(read.message);
      const order = { prompt, count, inputs: read.images, ...withoutUndefined({ size }) };
      const made = await media.makeImages(order, { run, signal });
      if (made.type === "failed") return errorResult(made.message);
      const { files: madeFiles, problem } = made.result;
      const kept: { readonly path: string; readonly mimeType: string; readonly sizeBytes: number }[] = [];
      for (const file of madeFiles) {
        signal.throwIfAborted();
        const path = await keepMadeFile(file, { name: "image", access, tainted: tainted || read.untrusted });
        kept.push({ path, mimeType: file.mimeType, sizeBytes: file.bytes.length });
      }
      const lines = [
        ...kept.map(({ path, mimeType, sizeBytes }) => `Saved as ${path} (${mimeType}, ${sizeBytes} bytes).`),
        ...(problem === undefined ? [] : [`${kept.length} of ${count} were made: ${problem}`]),
        SEND_HINT,
      ];
      return textResult(lines.join("\n"), { details: { files: kept } });
    },
  });
}
