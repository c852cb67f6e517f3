import type { Clock } from "@factotum/agent-contract";
import { asRecord } from "../errors/vendor-error.ts";

/** How a local server is queried. */
export interface OllamaAccess {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Timeout of an answer; 500 ms by default. */
  readonly limitMs?: number;
}

/** Asks an Ollama server for the names of its models; `undefined` if there is no such server. Never rejects. */
export type OllamaProbe = (serverUrl: string) => Promise<readonly string[] | undefined>;

/** The address of the server whose chat endpoint has this base address. */
export function ollamaServer(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/+v1$/, "");
}

/** A probe that queries once. */
export function createOllamaProbe(access: OllamaAccess): OllamaProbe {
  return async (serverUrl) => {
    const models = asRecord(await ask(`${serverUrl}/api/tags`, access))?.["models"];
    return Array.isArray(models) ? models.flatMap((model) => nameOf(model) ?? []) : undefined;
  };
}

/**
 * The context that an Ollama server has loaded a model with, in tokens; `undefined` if the model is not loaded or the server does not say. `baseUrl` is the
 * address that requests use, with or without its `/v1`.
 */
export async function readOllamaContext(baseUrl: string, model: string, access: OllamaAccess): Promise<number | undefined> {
  const loaded = asRecord(await ask(`${ollamaServer(baseUrl)}/api/ps`, access))?.["models"];
  if (!Array.isArray(loaded)) return undefined;
  const entry = loaded.map(asRecord).find((one) => withTag(nameOf(one) ?? "") === withTag(model));
  const tokens = entry?.["context_length"];
  return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
}

/** For users: that Ollama cuts longer prompts without an error, and what to do; `undefined` if its context is known to hold the window. */
export function ollamaContextNote(model: string, window: number, contextTokens: number | undefined): string | undefined {
  if (contextTokens !== undefined && contextTokens >= window) return undefined;
  const fact =
    contextTokens === undefined
      ? `Ollama gives ${model} 4,096 tokens of context on most machines unless it is told otherwise`
      : `Ollama runs ${model} with ${contextTokens} tokens of context`;
  return `${fact}, and ${window} are counted on: longer prompts are cut without an error. Start Ollama with OLLAMA_CONTEXT_LENGTH=${window}.`;
}

async function ask(url: string, { fetch, clock, limitMs = 500 }: OllamaAccess): Promise<unknown> {
  const controller = new AbortController();
  using _limit = clock.schedule(limitMs, () => controller.abort());
  try {
    const response = await fetch(url, { signal: controller.signal, redirect: "error" });
    if (response.ok) return (await response.json()) as unknown;
    await response.body?.cancel();
    return undefined;
  } catch (error) {
    // No server, no answer in time, or another server on that port: the same result for the caller.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function nameOf(model: unknown): string | undefined {
  const name = asRecord(model)?.["name"];
  return typeof name === "string" ? name : undefined;
}

function withTag(name: string): string {
  return name.includes(":") ? name : `${name}:latest`;
}
