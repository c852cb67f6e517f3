import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentTool } from "@factotum/agent-contract";
import { z } from "zod";
import { defineTool } from "../define-tool/define-tool.ts";
import { errorResult, textResult } from "../define-tool/tool-result.ts";
import type { MediaToolsOptions } from "./media-tools-options.ts";
import { keepMadeFile, requireFolder, SEND_HINT } from "./keep-made-file.ts";

const TtsSchema = z.strictObject({
  text: z.string().trim().min(1).max(100_000),
  voice: z.string().trim().min(1).max(200).optional().describe("The provider's name of a voice"),
});

/** Speaks a text into a file of the workspace. Opus in Ogg is sent as a voice message, where the chat has them. */
export function createTtsTool({ media, files }: Pick<MediaToolsOptions, "media" | "files">): AgentTool {
  return defineTool({
    name: "tts",
    summary: "Speak a text into a recording",
    description: "Speaks a text into a recording in the workspace, which arrives as a voice message where the chat has them.",
    schema: TtsSchema,
    traits: { effect: "write", idempotent: false, output: "trusted", network: true, ownServices: true, parallel: false },
    async execute({ text, voice }, { run, signal, tainted }) {
      const access = await files.forRun(run);
      await requireFolder(access);
      const spoken = await media.speak(text, { run, signal, ...withoutUndefined({ voice }) });
      if (spoken.type === "failed") return errorResult(spoken.message);
      signal.throwIfAborted();
      const { mimeType, bytes } = spoken.result;
      const path = await keepMadeFile(spoken.result, { name: "speech", access, tainted });
      const details = { path, mimeType, sizeBytes: bytes.length };
      return textResult(`Saved as ${path} (${mimeType}, ${bytes.length} bytes).\n${SEND_HINT}`, { details });
    },
  });
}
