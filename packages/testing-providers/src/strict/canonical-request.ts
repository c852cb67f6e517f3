import { canonicalAnthropic } from "../anthropic/canonical-request.ts";
import { canonicalGoogle } from "../google/start-google-server.ts";
import type { JsonObject } from "../json.ts";
import { canonicalMistral } from "../mistral/start-mistral-server.ts";
import { canonicalOpenAiChat } from "../openai-chat/start-openai-chat-server.ts";
import { canonicalOpenAiResponses } from "../openai-responses/start-openai-responses-server.ts";
import { type CanonicalRequest, compareCanonical, type PrefixReport } from "./prefix-report.ts";
import type { WireFormatName } from "./wire.ts";

const CANONICAL: Readonly<Record<WireFormatName, (body: JsonObject) => CanonicalRequest>> = {
  "anthropic-messages": canonicalAnthropic,
  "openai-responses": canonicalOpenAiResponses,
  "openai-chat": canonicalOpenAiChat,
  "google-generative-ai": canonicalGoogle,
  mistral: canonicalMistral,
};

/** Parses a request body; see {@link CanonicalRequest}. */
export function canonicalRequest(body: JsonObject, format: WireFormatName = "anthropic-messages"): CanonicalRequest {
  return CANONICAL[format](body);
}

/** Compares two requests of one conversation, the earlier one first. */
export function prefixReport(previous: JsonObject, next: JsonObject, format: WireFormatName = "anthropic-messages"): PrefixReport {
  return compareCanonical(CANONICAL[format](previous), CANONICAL[format](next));
}

/** True when `next` is `previous` plus appended messages, cache marks aside: tools and system equal, no old message changed. */
export function isPrefixOf(previous: JsonObject, next: JsonObject, format: WireFormatName = "anthropic-messages"): boolean {
  return prefixReport(previous, next, format).type === "prefix";
}
