import type { ModelErrorCode } from "@factotum/agent-contract";
import type { VendorError } from "./vendor-error.ts";

/** Error texts of a prompt that is too long: the five vendors, and compatible servers. */
const OVERFLOW: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|context_window_exceeded/i,
  // Anthropic
  /prompt is too long/i,
  /input length and `?max_tokens`? exceed context limit/i,
  /request_too_large|request exceeds the maximum size/i,
  // OpenAI, vLLM, DeepSeek, OpenRouter, Groq
  /maximum context length/i,
  /exceeds? (?:the|this model's) (?:available )?context (?:window|size|length)/i,
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
  /reduce your message size/i,
  // Google
  /input token count.{0,40}exceeds the maximum/is,
  // Mistral, xAI
  /too large for model with \d+ maximum context/i,
  /maximum prompt length/i,
  // llama.cpp, LM Studio, Bedrock and gateways
  /context (?:length|window|size) of only|context overflow|overflows? the context/i,
  /input is too long for requested model/i,
  /exceeded model token limit|too many (?:input )?tokens in/i,
];

const BILLING =
  /insufficient_quota|billing|credit balance|payment required|insufficient (?:balance|credits|funds)|exceeded your current quota/i;
const OVERLOADED = /overloaded|over capacity|UNAVAILABLE|engine is currently|no capacity/i;
const RATE_LIMITED = /rate.?limit|too many requests|RESOURCE_EXHAUSTED|throttl/i;
const UNAUTHORIZED =
  /authentication|unauthenticated|invalid.{0,3}api.{0,3}key|api key not valid|incorrect api key|permission_(?:error|denied)|unauthorized/i;
const NOT_FOUND =
  /model_not_found|not_found(?:_error)?\b|NOT_FOUND|model.{0,80}(?:does not exist|not found|is not found)|invalid.?model|not a valid model/is;
const FILTERED = /content.?(?:filter|policy)|content management policy|usage polic(?:y|ies)|safety system|flagged as potentially/i;
const INVALID = /invalid_request|INVALID_ARGUMENT|bad_request|validation/i;

/**
 * Classifies a provider's failure by its status and its text. The text takes precedence where a vendor uses one status for several things (a 400 about credit,
 * a 429 about quota, a 413 about length).
 */
export function classifyVendorError(error: VendorError, httpStatus: number | undefined): ModelErrorCode {
  const status = httpStatus !== undefined && httpStatus >= 300 ? httpStatus : error.status;
  const words = `${error.type ?? ""}\n${error.code ?? ""}\n${error.message ?? ""}`;
  const isServerFault = status !== undefined && status >= 500;
  if (!isServerFault && OVERFLOW.some((pattern) => pattern.test(words))) return "context-overflow";
  if (status === 402 || (!isServerFault && isAboutMoney(error, words, status))) return "billing";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404) return "not-found";
  if (status === 429) return "rate-limited";
  if (status === 529 || status === 503) return "overloaded";
  if (status === 408 || status === 409 || status === 425 || isServerFault) return OVERLOADED.test(words) ? "overloaded" : "server";
  return byWords(words, status);
}

/** Google's free tier says "quota" for a plain rate limit, so with status 429 OpenAI's own code is required. */
function isAboutMoney(error: VendorError, words: string, status: number | undefined): boolean {
  if (error.type === "RESOURCE_EXHAUSTED") return false;
  if (status === 429) return /insufficient_quota|credit balance|insufficient balance/i.test(words);
  return BILLING.test(words);
}

function byWords(words: string, status: number | undefined): ModelErrorCode {
  if (status === 413) return "context-overflow";
  if (OVERLOADED.test(words)) return "overloaded";
  if (RATE_LIMITED.test(words)) return "rate-limited";
  if (FILTERED.test(words)) return "filtered";
  if (UNAUTHORIZED.test(words)) return "unauthorized";
  if (NOT_FOUND.test(words)) return "not-found";
  if (status !== undefined && status >= 300) return "invalid-request";
  return INVALID.test(words) ? "invalid-request" : "server";
}
