import type { ModelApi } from "@factotum/agent-contract";
import { ollamaAddress } from "./ollama/ollama-address.ts";

/** Built-in defaults of a provider. */
export interface ProviderDefaults {
  readonly api: ModelApi;
  /** The vendor's documented base address; empty for `demo`. */
  readonly baseUrl: string;
  /** The usual environment variables of this vendor's key, in order. Absent for servers that need none. */
  readonly keyVariables?: readonly [string, ...string[]];
  /** Output limits, in tokens, for a reseller that reserves credit for the whole limit of a request: otherwise an account with little credit is refused. */
  readonly output?: { readonly most: number; readonly unknown: number };
}

/** The providers that need no `api` and no `baseUrl` in the configuration, by the id that a model reference starts with. */
export const PROVIDERS: Readonly<Record<string, ProviderDefaults>> = {
  anthropic: { api: "anthropic-messages", baseUrl: "https://api.anthropic.com/v1", keyVariables: ["ANTHROPIC_API_KEY"] },
  openai: { api: "openai-responses", baseUrl: "https://api.openai.com/v1", keyVariables: ["OPENAI_API_KEY"] },
  google: {
    api: "google-generative-ai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
  mistral: { api: "mistral", baseUrl: "https://api.mistral.ai/v1", keyVariables: ["MISTRAL_API_KEY"] },
  openrouter: {
    api: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    output: { most: 32_000, unknown: 16_384 },
  },
  groq: { api: "openai-chat", baseUrl: "https://api.groq.com/openai/v1", keyVariables: ["GROQ_API_KEY"] },
  deepseek: { api: "openai-chat", baseUrl: "https://api.deepseek.com/v1", keyVariables: ["DEEPSEEK_API_KEY"] },
  xai: { api: "openai-chat", baseUrl: "https://api.x.ai/v1", keyVariables: ["XAI_API_KEY"] },
  moonshotai: { api: "openai-chat", baseUrl: "https://api.moonshot.ai/v1", keyVariables: ["MOONSHOT_API_KEY"] },
  together: { api: "openai-chat", baseUrl: "https://api.together.xyz/v1", keyVariables: ["TOGETHER_API_KEY"] },
  fireworks: { api: "openai-chat", baseUrl: "https://api.fireworks.ai/inference/v1", keyVariables: ["FIREWORKS_API_KEY"] },
  cerebras: { api: "openai-chat", baseUrl: "https://api.cerebras.ai/v1", keyVariables: ["CEREBRAS_API_KEY"] },
  ollama: { api: "openai-chat", baseUrl: "http://127.0.0.1:11434/v1" },
  lmstudio: { api: "openai-chat", baseUrl: "http://127.0.0.1:1234/v1" },
  llamacpp: { api: "openai-chat", baseUrl: "http://127.0.0.1:8080/v1" },
  vllm: { api: "openai-chat", baseUrl: "http://127.0.0.1:8000/v1" },
  demo: { api: "demo", baseUrl: "" },
};

type Environment = Readonly<Record<string, string | undefined>>;

/** The defaults of a provider by its id; `undefined` for one that the configuration must describe. */
export function findProvider(id: string): ProviderDefaults | undefined {
  return Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
}

/** The first of a provider's variables that has a value, and that value. */
export function readProviderKey(id: string, environment: Environment): { readonly variable: string; readonly value: string } | undefined {
  for (const variable of findProvider(id)?.keyVariables ?? []) {
    const value = environment[variable]?.trim() ?? "";
    if (value !== "") return { variable, value };
  }
  return undefined;
}

/** The address of a provider without a configured one: its documented address, or the one in the environment. */
export function providerBaseUrl(id: string, environment: Environment): string | undefined {
  return id === "ollama" ? `${ollamaAddress(environment["OLLAMA_HOST"])}/v1` : findProvider(id)?.baseUrl;
}
