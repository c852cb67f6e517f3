import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelApi } from "@factotum/agent-contract";
import { parseOllamaHost } from "./ollama/ollama-address.ts";
import { type OllamaProbe, ollamaServer } from "./ollama/ollama-server.ts";
import { PROVIDERS, readProviderKey } from "./providers.ts";

/** The model used without configuration. */
export interface DefaultModel {
  /** `provider/model`. */
  readonly reference: string;
  /** A row for `models.providers`; it names the key's variable, not its value. */
  readonly provider: { readonly id: string; readonly api: ModelApi; readonly baseUrl: string; readonly apiKey?: { readonly env: string } };
  /** For users: why this model. */
  readonly reason: string;
  /** For users: why the Ollama at `OLLAMA_HOST` is not used, and what to configure. */
  readonly problem?: string;
}

/** The vendors in the order in which their keys are looked up, each with its current general-purpose model. */
export const DEFAULT_MODELS: readonly (readonly [provider: string, model: string])[] = [
  ["anthropic", "claude-sonnet-5-5"],
  ["openai", "gpt-5.5"],
  ["google", "gemini-flash-latest"],
  ["mistral", "mistral-medium-latest"],
  ["xai", "grok-4.7"],
  ["deepseek", "deepseek-flash"],
  ["openrouter", "anthropic/claude-sonnet-5.5"],
  ["groq", "openai/gpt-oss-120b"],
];

/** The environment variables whose keys select a model, in lookup order. */
export const DEFAULT_KEY_VARIABLES: readonly string[] = DEFAULT_MODELS.flatMap(([provider]) => PROVIDERS[provider]?.keyVariables ?? []);

const NOT_FOR_CHAT = /embed|minilm|bge-|rerank|whisper/i;

/** Options of the search for a local model. */
export interface DefaultModelOptions {
  readonly probeOllama: OllamaProbe;
  /** The configured address of Ollama, with or without its `/v1`; defaults to the one in `OLLAMA_HOST`. */
  readonly ollamaBaseUrl?: string | undefined;
}

/** The first vendor whose key is in the environment; else a model of a local Ollama; else the demo model. Never rejects. */
export async function defaultModelFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { probeOllama, ollamaBaseUrl }: DefaultModelOptions,
): Promise<DefaultModel> {
  for (const [id, model] of DEFAULT_MODELS) {
    const defaults = PROVIDERS[id];
    const key = readProviderKey(id, environment);
    if (defaults === undefined || key === undefined) continue;
    const provider = { id, api: defaults.api, baseUrl: defaults.baseUrl, apiKey: { env: key.variable } };
    return { reference: `${id}/${model}`, provider, reason: `${key.variable} is set` };
  }
  if (ollamaBaseUrl !== undefined) return chooseLocalModel(ollamaServer(ollamaBaseUrl), probeOllama);
  const host = environment["OLLAMA_HOST"]?.trim() ?? "";
  const server = parseOllamaHost(host);
  if (server === undefined) return demoModel("OLLAMA_HOST cannot be read", `OLLAMA_HOST is "${host}", which is no address: ${HOST_ADVICE}`);
  const model = await chooseLocalModel(server, probeOllama);
  if (host === "" || model.provider.id !== "demo") return model;
  return { ...model, problem: `OLLAMA_HOST is "${host}", but ${model.reason}: ${HOST_ADVICE}` };
}

const HOST_ADVICE = "write the address at which Ollama answers, such as OLLAMA_HOST=http://127.0.0.1:11434, and start Ollama there.";

function demoModel(why: string, problem?: string): DefaultModel {
  const reason = `no key is set, and ${why}`;
  const provider = { id: "demo", api: "demo" as const, baseUrl: "" };
  return { reference: "demo/demo", provider, reason, ...withoutUndefined({ problem }) };
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
  return demoModel(ollama);
}
