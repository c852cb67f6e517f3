import type { CapturedRequest } from "../server/captured-request.ts";
import type { AnthropicUsage } from "./reply.ts";

/** What a prompt cost, before anything was answered. */
export type PromptUsage = Omit<AnthropicUsage, "output_tokens">;

/** One request as the server saw it. */
export type RecordedRequest = CapturedRequest<PromptUsage>;
