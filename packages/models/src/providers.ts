import type { ModelApi } from "@factotum/agent-contract";

/** What is known of a provider before anything is configured. */
export interface ProviderDefaults {
  readonly api: ModelApi;
  /** The vendor's documented base address; empty for `demo`. */
  readonly baseUrl: string;
  /** The environment variable in which people keep this vendor's key. Absent for servers that need none. */
  readonly keyVariable?: string;
  /** Limits of the output, in tokens, for a reseller that reserves credit for the whole limit of a request: an account with little is refused else. */
  readonly output?: { readonly most: number; readonly unknown: number };
}

/** The providers that need no `api` and no `baseUrl` in the configuration, by the id that a model reference starts with. */
export const PROVIDERS: Readonly<Record<string, ProviderDefaults>> = {
  anthropic: { api: "anthropic-messages", baseUrl: "https://api.anthropic.com/v1", keyVariable: "ANTHROPIC_API_KEY" },
  openai: { api: "openai-responses", baseUrl: "https://api.openai.com/v1", keyVariable: "OPENAI_API_KEY" },
  google: { api: "google-generative-ai", baseUrl: "https://generativelanguage.googleapis.com/v1beta", keyVariable: "GEMINI_API_KEY" },
  mistral: { api: "mistral", baseUrl: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
  openrouter: {
    api: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    output: { most: 32_000, unknown: 16_384 },
  },
  groq: { api: "openai-chat", baseUrl: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
  deepseek: { api: "openai-chat", baseUrl: "https://api.deepseek.com/v1", keyVariable: "DEEPSEEK_API_KEY" },
  xai: { api: "openai-chat", baseUrl: "https://api.x.ai/v1", keyVariable: "XAI_API_KEY" },
  moonshotai: { api: "openai-chat", baseUrl: "https://api.moonshot.ai/v1", keyVariable: "MOONSHOT_API_KEY" },
  together: { api: "openai-chat", baseUrl: "https://api.together.xyz/v1", keyVariable: "TOGETHER_API_KEY" },
  fireworks: { api: "openai-chat", baseUrl: "https://api.fireworks.ai/inference/v1", keyVariable: "FIREWORKS_API_KEY" },
  cerebras: { api: "openai-chat", baseUrl: "https://api.cerebras.ai/v1", keyVariable: "CEREBRAS_API_KEY" },
  ollama: { api: "openai-chat", baseUrl: "http://127.0.0.1:11434/v1" },
  lmstudio: { api: "openai-chat", baseUrl: "http://127.0.0.1:1234/v1" },
  llamacpp: { api: "openai-chat", baseUrl: "http://127.0.0.1:8080/v1" },
  vllm: { api: "openai-chat", baseUrl: "http://127.0.0.1:8000/v1" },
  demo: { api: "demo", baseUrl: "" },
};
