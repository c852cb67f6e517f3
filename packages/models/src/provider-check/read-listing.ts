import type { ModelApi } from "@factotum/agent-contract";
import { normalizeBaseUrl } from "../base-url.ts";
import { asRecord } from "../errors/vendor-error.ts";
import { ollamaServer } from "../ollama/ollama-server.ts";

/** One request that costs nothing. */
export interface FreeRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The provider to query. */
export interface ListingTarget {
  readonly provider: string;
  readonly api: ModelApi;
  /** With or without its version. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/** Models without chat, by name; vendors list all of their models. */
const NOT_FOR_CHAT =
  /embed|minilm|\bbge-|rerank|whisper|dall-e|moderation|realtime|transcribe|davinci|babbage|gpt-image|\b(?:tts|ocr|aqa|veo|sora|imagen)\b/i;

/** The request that lists a provider's models, which every vendor answers without charge. */
export function listingRequest(target: ListingTarget): FreeRequest {
  const { provider, api, baseUrl } = target;
  if (provider === "ollama") return { url: `${ollamaServer(baseUrl)}/api/tags`, headers: keyHeaders(target) };
  const query = api === "anthropic-messages" ? "?limit=1000" : api === "google-generative-ai" ? "?pageSize=1000" : "";
  return { url: `${normalizeBaseUrl(baseUrl, api)}/models${query}`, headers: keyHeaders(target) };
}

/** The request for a single model, which also knows aliases that the listing omits; `undefined` if the vendor has no such call. */
export function modelRequest(target: ListingTarget, model: string): FreeRequest | undefined {
  if (target.api === "openai-chat" || target.api === "demo") return undefined;
  return { url: `${normalizeBaseUrl(target.baseUrl, target.api)}/models/${encodeURIComponent(model)}`, headers: keyHeaders(target) };
}

/** The request that verifies a key at OpenRouter, whose listing is public. */
export function openRouterKeyRequest(target: ListingTarget): FreeRequest {
  return { url: `${normalizeBaseUrl(target.baseUrl, target.api)}/key`, headers: keyHeaders(target) };
}

/** True if OpenRouter's description of a key reports an exhausted limit. */
export function isUsedUp(answer: unknown): boolean {
  const remaining = asRecord(asRecord(answer)?.["data"])?.["limit_remaining"];
  return typeof remaining === "number" && remaining <= 0;
}

/** The headers that carry the key, in the vendor's form. */
export function keyHeaders({ api, apiKey }: ListingTarget): Readonly<Record<string, string>> {
  const version = api === "anthropic-messages" ? { "anthropic-version": "2023-06-01" } : undefined;
  if (apiKey === undefined) return { ...version };
  if (api === "anthropic-messages") return { ...version, "x-api-key": apiKey };
  return api === "google-generative-ai" ? { "x-goog-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

/** The names in a listing: `all` has every model, `chat` those that support chat; `undefined` for another response. */
export function parseListing(answer: unknown): { readonly all: readonly string[]; readonly chat: readonly string[] } | undefined {
  const listed = Array.isArray(answer) ? answer : (asRecord(answer)?.["data"] ?? asRecord(answer)?.["models"]);
  if (!Array.isArray(listed)) return undefined;
  const rows = listed.flatMap((row: unknown) => {
    const fields = asRecord(row) ?? {};
    const name = fields["id"] ?? fields["name"];
    return typeof name === "string" && name !== "" ? [{ name: name.replace(/^models\//, ""), fields }] : [];
  });
  const chat = rows.filter(({ name, fields }) => !NOT_FOR_CHAT.test(name) && canChat(fields)).map(({ name }) => name);
  return { all: rows.map(({ name }) => name), chat };
}

/** Google and Mistral list the capabilities of a model. */
function canChat(fields: Readonly<Record<string, unknown>>): boolean {
  const methods = fields["supportedGenerationMethods"];
  if (Array.isArray(methods)) return methods.includes("generateContent");
  return asRecord(fields["capabilities"])?.["completion_chat"] !== false;
}
