import type { CapturedRequest } from "../server/captured-request.ts";
import type { AnthropicUsage } from "./reply.ts";

/** The cost of a prompt, before the answer. */
export type PromptUsage = Omit<AnthropicUsage, "output_tokens">;

/** One received request. */
export type RecordedRequest = CapturedRequest<PromptUsage>;
