import type { Clock } from "@factotum/agent-contract";
import { classifyVendorError } from "../errors/classify-vendor-error.ts";
import { quotable } from "../errors/create-model-error.ts";
import { asRecord, parseVendorError } from "../errors/vendor-error.ts";
import { balanceRequest, isOutOfCredit } from "./account-balance.ts";
import { findProviderFacts } from "./provider-facts.ts";
import {
  isUsedUp,
  listingRequest,
  modelRequest,
  openRouterKeyRequest,
  parseListing,
  type FreeRequest,
  type ListingTarget,
} from "./read-listing.ts";

/** How a test of a provider ends. Everything but `works` needs a person, or a later try. */
export type ProviderCheckType =
  | "works"
  | "missing-key"
  | "refused-key"
  | "no-credit"
  | "unknown-model"
  | "unusable-model"
  | "no-models"
  | "rate-limited"
  | "unreachable"
  | "failed";

/** The result of a test. */
export interface ProviderCheck {
  readonly type: ProviderCheckType;
  /** For people: the finding and, unless it works, what to do. Never contains the key. */
  readonly message: string;
  /** The models that support chat, as the provider lists them; empty if the listing was not reached. */
  readonly models: readonly string[];
}

/** The provider to test. */
export interface ProviderCheckTarget extends ListingTarget {
  /** Tests this model, too: the provider's own name, without the provider. */
  readonly model?: string;
}

/** Dependencies of a test. */
export interface ProviderCheckOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Milliseconds for each request; 10,000 by default. */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_LIMIT_MS = 10_000;
/** OpenRouter's listing, the longest, has less than a megabyte. */
const MAX_BYTES = 8 * 1024 ** 2;

/**
 * Tests a provider by calls that cost nothing: its list of models, and for OpenRouter first the description of the key, since its list is public. Whether the
 * account has credit is known only if such a call reports it. Rejects only when `signal` fires.
 */
export async function checkProvider(target: ProviderCheckTarget, options: ProviderCheckOptions): Promise<ProviderCheck> {
  const words = new Words(target);
  if (target.api === "demo") return words.works(["demo"]);
  const needsKey = (findProviderFacts(target.provider)?.keyVariables.length ?? 0) > 0;
  if (needsKey && target.apiKey === undefined) return words.missingKey();
  if (target.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(target.apiKey)) return words.noKey();
  if (target.provider === "openrouter") {
    const known = await ask(openRouterKeyRequest(target), words, options);
    if (known.type !== "answer") return known.check;
    if (isUsedUp(known.body)) return words.noCredit("the limit of this key is used up");
  }
  const listed = await ask(listingRequest(target), words, options);
  if (listed.type !== "answer") return listed.check;
  const listing = parseListing(listed.body);
  if (listing === undefined) return words.noListing();
  if (listing.chat.length === 0 && target.provider === "ollama") return words.noModels();
  const balance = balanceRequest(target);
  const account = balance === undefined ? undefined : await ask(balance, words, options);
  // A failed call says nothing about the credit.
  if (account?.type === "answer" && isOutOfCredit(target, account.body)) return words.noCredit(undefined);
  const { model } = target;
  if (model === undefined || isListed(model, listing.chat)) return words.works(listing.chat);
  if (isListed(model, listing.all)) return words.unusableModel(model, listing.chat);
  const single = modelRequest(target, model);
  const found = single === undefined ? undefined : await ask(single, words, options);
  if (found?.type === "answer") return words.works(listing.chat);
  if (found !== undefined && found.status !== 404 && found.check.type !== "unknown-model") return found.check;
  return words.unknownModel(model, listing.chat);
}

/** Ollama leaves `:latest` out. */
function isListed(model: string, all: readonly string[]): boolean {
  return all.includes(model) || all.includes(`${model}:latest`);
}

type Answer =
  | { readonly type: "answer"; readonly body: unknown }
  | { readonly type: "refused"; readonly check: ProviderCheck; readonly status?: number };

async function ask({ url, headers }: FreeRequest, words: Words, options: ProviderCheckOptions): Promise<Answer> {
  const controller = new AbortController();
  using _limit = options.clock.schedule(options.limitMs ?? DEFAULT_LIMIT_MS, () => controller.abort());
  const signal = options.signal === undefined ? controller.signal : AbortSignal.any([controller.signal, options.signal]);
  let response: Response;
  let text: string;
  try {
    // A key must not wander to another host.
    response = await options.fetch(url, { headers, signal, redirect: "manual" });
    text = await readText(response);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return { type: "refused", check: words.unreachable(controller.signal.aborted ? "no answer in time" : networkReason(error)) };
  }
  const body = parseJson(text);
  if (response.ok) return body === undefined ? { type: "refused", check: words.noListing() } : { type: "answer", body };
  return { type: "refused", check: words.refused(response.status, body), status: response.status };
}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error("the answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function networkReason(error: Error): string {
  const code = asRecord(error.cause)?.["code"] ?? ("code" in error ? error.code : undefined);
  if (typeof code === "string") return code;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Texts for the results. */
class Words {
  readonly #target: ProviderCheckTarget;
  readonly #label: string;
  readonly #host: string;

  constructor(target: ProviderCheckTarget) {
    this.#target = target;
    this.#label = findProviderFacts(target.provider)?.label ?? target.provider;
    this.#host = URL.parse(target.baseUrl)?.host ?? target.baseUrl;
  }

  works(models: readonly string[]): ProviderCheck {
    const { apiKey, model } = this.#target;
    const what = model === undefined ? `${models.length} models` : `the model ${model}`;
    return { type: "works", message: `${this.#label} ${apiKey === undefined ? "answers" : "takes the key"} and has ${what}.`, models };
  }

  missingKey(): ProviderCheck {
    return this.#result("missing-key", `${this.#label} needs a key.${this.#whereKeysAre()}`);
  }

  /** It was not sent. */
  noKey(): ProviderCheck {
    const message = `This is no key: it holds blanks or other signs that no key has. Copy the whole key again.${this.#whereKeysAre()}`;
    return this.#result("refused-key", message);
  }

  refusedKey(said: string | undefined): ProviderCheck {
    if (this.#target.apiKey === undefined)
      return this.#result("missing-key", `${this.#label} needs a key, and there is none${quote(said)}.${this.#whereKeysAre()}`);
    return this.#result("refused-key", `${this.#label} refused this key${quote(said)}. Copy the whole key again.${this.#whereKeysAre()}`);
  }

  noCredit(said: string | undefined): ProviderCheck {
    return this.#result("no-credit", `The account at ${this.#label} has no credit${quote(said)}. Top it up, or choose another provider.`);
  }

  noModels(): ProviderCheck {
    return this.#result("no-models", `Ollama runs at ${this.#host} and has no model yet. Get one: ollama pull qwen3`);
  }

  unknownModel(model: string, models: readonly string[]): ProviderCheck {
    const message = `${this.#label} has no model "${model}" for this key. Choose one of its list: factotum models list ${this.#target.provider}`;
    return { type: "unknown-model", message, models };
  }

  unusableModel(model: string, models: readonly string[]): ProviderCheck {
    const message = `${this.#label} has "${model}", but not for conversations. Choose another one of its list: factotum models list ${this.#target.provider}`;
    return { type: "unusable-model", message, models };
  }

  unreachable(reason: string): ProviderCheck {
    const { provider } = this.#target;
    const start = provider === "ollama" ? `Start Ollama (${findProviderFacts("ollama")?.url ?? ""})` : "Check the network";
    return this.#result(
      "unreachable",
      `${this.#host} cannot be reached (${reason}). ${start}, or models.providers.${provider}.baseUrl if that is not the address.`,
    );
  }

  noListing(): ProviderCheck {
    const { provider } = this.#target;
    const message = `${this.#host} answers, but not as ${this.#label} does: a login page of the network, or a wrong address in models.providers.${provider}.baseUrl.`;
    return this.#result("failed", message);
  }

  refused(status: number, body: unknown): ProviderCheck {
    if (status >= 300 && status < 400) return this.noListing();
    const vendor = parseVendorError(body) ?? {};
    const said = vendor.message === undefined ? undefined : quotable(vendor.message, [this.#target.apiKey ?? ""]);
    switch (classifyVendorError(vendor, status)) {
      case "unauthorized":
        return this.refusedKey(said);
      case "billing":
        return this.noCredit(said);
      case "rate-limited":
        return this.#result("rate-limited", `${this.#label} wants fewer requests${quote(said)}. Try again in a minute.`);
      case "not-found":
        return this.#result(
          "failed",
          `${this.#host} has no list of models (${status})${quote(said)}. Check models.providers.${this.#target.provider}.baseUrl.`,
        );
      default:
        return this.#result("failed", `${this.#label} has a fault of its own (${status})${quote(said)}. Try again later.`);
    }
  }

  #whereKeysAre(): string {
    const facts = findProviderFacts(this.#target.provider);
    return facts === undefined ? "" : ` Keys are made at ${facts.url}`;
  }

  #result(type: ProviderCheckType, message: string): ProviderCheck {
    return { type, message, models: [] };
  }
}

function quote(said: string | undefined): string {
  return said === undefined ? "" : `: ${said.replace(/\.$/, "")}`;
}
