import type { ModelApi } from "@factotum/agent-contract";
import { normalizeBaseUrl } from "./base-url.ts";
import { asRecord } from "./errors/vendor-error.ts";

/** What is asked, and with what. */
export interface ProbeOptions {
  /** Id of the provider; OpenRouter shows its models to every key, so it is asked about the key itself. */
  readonly provider: string;
  readonly api: ModelApi;
  readonly baseUrl: string;
  /** Absent for a server that needs none. */
  readonly key?: string | undefined;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** What a provider says to a key. `models` are the ids that it lists for it; absent when it lists none. */
export type ProviderProbe =
  | { readonly type: "accepted"; readonly models?: readonly string[] }
  /** The provider refuses the key. */
  | { readonly type: "refused"; readonly status: number }
  /** It answers, and not as a provider does. */
  | { readonly type: "unclear"; readonly status: number }
  | { readonly type: "unreachable"; readonly cause: string };

/** Asks a provider by its free listing call whether it takes a key, and which models it has for it. Costs nothing; never rejects. */
export async function probeProvider(options: ProbeOptions): Promise<ProviderProbe> {
  const { provider, key } = options;
  try {
    if (provider === "openrouter" && key !== undefined) {
      const own = await ask("/key", options);
      if (own.type !== "accepted") return own;
    }
    return await ask("/models", options);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { type: "unreachable", cause: cause instanceof Error ? cause.message : "no answer" };
  }
}

async function ask(path: string, { api, baseUrl, key, fetch, signal }: ProbeOptions): Promise<ProviderProbe> {
  const { query, headers } = FORMATS[api] ?? BEARER;
  const address = `${normalizeBaseUrl(baseUrl, api)}${path}${path === "/models" ? query : ""}`;
  const response = await fetch(address, { headers: key === undefined ? {} : headers(key), redirect: "manual", signal });
  const { status } = response;
  const text = await response.text();
  if (status === 401 || status === 403 || /API_KEY_INVALID|API key not valid/.test(text)) return { type: "refused", status };
  if (!response.ok) return { type: "unclear", status };
  const models = listedIds(text);
  return models.length === 0 ? { type: "accepted" } : { type: "accepted", models };
}

interface ProbeFormat {
  readonly query: string;
  readonly headers: (key: string) => Readonly<Record<string, string>>;
}

const BEARER: ProbeFormat = { query: "", headers: (key) => ({ authorization: `Bearer ${key}` }) };

const FORMATS: Readonly<Partial<Record<ModelApi, ProbeFormat>>> = {
  "anthropic-messages": { query: "?limit=1000", headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }) },
  "google-generative-ai": { query: "?pageSize=1000", headers: (key) => ({ "x-goog-api-key": key }) },
};

/** `data[].id`, Google's `models[].name`, or a bare list. */
function listedIds(text: string): readonly string[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
  const record = asRecord(body);
  const entries = [body, record?.["data"], record?.["models"]].find(Array.isArray) ?? [];
  return entries.flatMap((entry: unknown) => {
    const { id, name } = asRecord(entry) ?? {};
    const found = typeof id === "string" ? id : name;
    return typeof found === "string" ? [found.replace(/^models\//, "")] : [];
  });
}

/** True when a model is in a provider's list, by its name, a dated or tagged form of it, or the name that stands for its newest version. */
export function isInList(model: string, listed: readonly string[]): boolean {
  const name = model.toLowerCase();
  const base = name.replace(/:[a-z]+$/, "").replace(/-latest$/, "");
  return listed.some((one) => {
    const id = one.toLowerCase();
    return (
      id === name ||
      id === base ||
      id === `${name}:latest` ||
      (id.startsWith(`${base}-`) && /^-(?:\d{6,8}|\d{4}-\d{2}-\d{2}|latest)$/.test(id.slice(base.length)))
    );
  });
}
