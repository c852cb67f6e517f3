import type { MediaModels } from "@factotum/agent-contract";
import type { FileAccess } from "../file-access/create-file-access.ts";
import type { WebAccess } from "../web/web-access.ts";

/** The ports of the media tools, and which of them have a model. */
export interface MediaToolsOptions {
  readonly media: MediaModels;
  readonly files: FileAccess;
  readonly web: Pick<WebAccess, "request" | "fetch">;
  /** `models.imageGeneration` names a model. Without it there is no `image_generate`. */
  readonly makesImages: boolean;
  /** `messages.tts.provider` names one. Without it there is no `tts`. */
  readonly speaks: boolean;
}
