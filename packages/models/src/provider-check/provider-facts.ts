import { withoutUndefined } from "@factotum/agent-contract";
import { DEFAULT_MODELS } from "../default-model.ts";
import { PROVIDERS } from "../providers.ts";

/** Facts that a person needs to start using a provider. */
export interface ProviderFacts {
  /** The provider part of a model reference. */
  readonly id: string;
  /** The vendor's name, for people. */
  readonly label: string;
  /** Where to create a key; for a local server, where to download it. */
  readonly url: string;
  /** The environment variables in which its key is looked for; empty for a server that needs none. */
  readonly keyVariables: readonly string[];
  /** The suggested model, without the provider; absent if it must be selected from the provider's list. */
  readonly defaultModel?: string;
}

/** Providers of the first run, in display order. AGENTS.md of this package lists what another one takes. */
const ROWS: readonly (readonly [id: string, label: string, url: string])[] = [
  ["anthropic", "Anthropic", "https://platform.claude.com/settings/keys"],
  ["openai", "OpenAI", "https://platform.openai.com/api-keys"],
  ["google", "Google Gemini", "https://aistudio.google.com/apikey"],
  ["openrouter", "OpenRouter", "https://openrouter.ai/settings/keys"],
  ["ollama", "Ollama (local)", "https://ollama.com/download"],
  ["mistral", "Mistral", "https://console.mistral.ai/api-keys"],
  ["xai", "xAI", "https://console.x.ai"],
  ["deepseek", "DeepSeek", "https://platform.deepseek.com/api_keys"],
  ["groq", "Groq", "https://console.groq.com/keys"],
  ["moonshotai", "Moonshot AI", "https://platform.moonshot.ai/console/api-keys"],
  ["together", "Together AI", "https://api.together.ai/settings/api-keys"],
  ["fireworks", "Fireworks AI", "https://app.fireworks.ai/settings/users/api-keys"],
  ["cerebras", "Cerebras", "https://cloud.cerebras.ai"],
];

/** The providers that a first run offers. */
export const PROVIDER_FACTS: readonly ProviderFacts[] = ROWS.map(([id, label, url]) => ({
  id,
  label,
  url,
  keyVariables: PROVIDERS[id]?.keyVariables ?? [],
  ...withoutUndefined({ defaultModel: DEFAULT_MODELS.find(([provider]) => provider === id)?.[1] }),
}));

/** The facts of a provider; `undefined` for one that only the configuration knows. */
export function findProviderFacts(id: string): ProviderFacts | undefined {
  return PROVIDER_FACTS.find((facts) => facts.id === id);
}
