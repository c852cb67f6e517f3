import type { AgentTool } from "@factotum/agent-contract";
import { createImageGenerateTool } from "./image-generate-tool.ts";
import { createImageTool } from "./image-tool.ts";
import type { MediaToolsOptions } from "./media-tools-options.ts";
import { createTtsTool } from "./tts-tool.ts";

/** The tools `image`, `image_generate` and `tts`, as far as they are configured. `image` always: which model it asks is known when it is called. */
export function createMediaTools(options: MediaToolsOptions): readonly AgentTool[] {
  return [
    createImageTool(options),
    ...(options.makesImages ? [createImageGenerateTool(options)] : []),
    ...(options.speaks ? [createTtsTool(options)] : []),
  ];
}
