import type { Clock, ModelApi } from "@factotum/agent-contract";
import { PROVIDERS } from "./providers.ts";

/** The model to use when nothing is configured. */
export interface DefaultModel {
  /** `provider/model`. */
  readonly reference: string;
  /** A row for `models.providers`; the key is named, not held. */
  readonly provider: { readonly id: string; readonly api: ModelApi; readonly baseUrl: string; readonly apiKey?: { readonly env: string } };
  /** For people: why this one. */
  readonly reason: string;
}

/** Asks an Ollama server for the names of its models; `undefined` when there is none. Never rejects. */
export type OllamaProbe = (serverUrl: string) => Promise<readonly string[] | undefined>;

/** The vendors in the order in which their keys are looked for, with a model that is there for every account. */
export const DEFAULT_MODELS: readonly (readonly [provider: string, model: string])[] = [
  ["anthropic", "claude-sonnet-5-5"],
  ["openai", "gpt-5.5"],
  ["google", "gemini-flash-latest"],
  ["mistral", "mistral-medium-latest"],
];

const NOT_FOR_CHAT = /embed|minilm|bge-|rerank|whisper/i;

/** The first vendor whose key is in the environment; else a model of a local Ollama; else the demo model. Never rejects. */
export async function defaultModelFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly probeOllama: OllamaProbe },
): Promise<DefaultModel> {
  for (const [id, model] of DEFAULT_MODELS) {
    const defaults = PROVIDERS[id];
    const keyVariable = defaults?.keyVariable;
    if (defaults === undefined || keyVariable === undefined || (environment[keyVariable] ?? "").trim() === "") continue;
    const provider = { id, api: defaults.api, baseUrl: defaults.baseUrl, apiKey: { env: keyVariable } };
    return { reference: `${id}/${model}`, provider, reason: `${keyVariable} is set` };
  }
  return chooseLocalModel(ollamaAddress(environment.OLLAMA_HOST), options.probeOllama);
}

async function chooseLocalModel(serverUrl: string, probeOllama: OllamaProbe): Promise<DefaultModel> {
  const models = await probeOllama(serverUrl);
  const model = models?.find((name) => !NOT_FOR_CHAT.test(name));
  if (model !== undefined) {
    const provider = { id: "ollama", api: "openai-chat" as const, baseUrl: `${serverUrl}/v1` };
    return { reference: `ollama/${model}`, provider, reason: `no key is set, and Ollama runs at ${serverUrl}` };
  }
  const ollama =
    models === undefined ? `no Ollama answers at ${serverUrl}` : `Ollama at ${serverUrl} has no chat model yet (ollama pull <model>)`;
  return { reference: "demo/demo", provider: { id: "demo", api: "demo", baseUrl: "" }, reason: `no key is set, and ${ollama}` };
}

/** `OLLAMA_HOST` is an address, or only a host, a port or both; what a server listens on everywhere is reached on loopback. */
function ollamaAddress(host: string | undefined): string {
  const fallback = "http://127.0.0.1:11434";
  const value = (host ?? "").trim().replace(/\/+$/, "");
  if (value === "") return fallback;
  const withHost = value.startsWith(":") ? `127.0.0.1${value}` : value;
  const url = URL.parse(/^https?:\/\//.test(withHost) ? withHost : `http://${withHost}`);
  if (url === null) return fallback;
  if (url.port === "" && !/^https?:\/\//.test(withHost)) url.port = "11434";
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** A probe that asks once and waits at most `limitMs` (500 by default). */
export function createOllamaProbe(options: {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly limitMs?: number;
}): OllamaProbe {
  return async (serverUrl) => {
    const controller = new AbortController();
    using _limit = options.clock.schedule(options.limitMs ?? 500, () => controller.abort());
    try {
      const response = await options.fetch(`${serverUrl}/api/tags`, { signal: controller.signal, redirect: "error" });
      if (response.ok) return readModelNames(await response.json());
      await response.body?.cancel();
      return undefined;
    } catch (error) {
      // No server, no answer in time, or something else that listens there: for the caller all the same.
      if (error instanceof Error) return undefined;
      throw error;
    }
  };
}

function readModelNames(body: unknown): readonly string[] | undefined {
  if (typeof body !== "object" || body === null || !("models" in body) || !Array.isArray(body.models)) return undefined;
  const models: readonly unknown[] = body.models;
  return models.flatMap((model) => {
    const name = typeof model === "object" && model !== null && "name" in model ? model.name : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
