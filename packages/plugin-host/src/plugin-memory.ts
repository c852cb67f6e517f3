import type { MemoryAnswer, MemoryHit, MemoryOrigin, MemoryPassage, MemoryProvider, MemoryStatus } from "@factotum/agent-contract";
import { PLUGIN_LIMITS } from "@factotum/plugin";
import type { HostedPlugin } from "./hosted-plugin.ts";

const MAX_PATH_CHARS = 500;
const MAX_TEXT_CHARS = 20_000;

/** A plugin as the memory of agents. What an isolated one says is text of others; what is not a hit is left out; one that fails is an answer that says so. */
export function createPluginMemory(plugin: HostedPlugin, hideSecrets: (text: string) => string): MemoryProvider {
  const { id, trusted } = plugin.plugin;
  const origin: MemoryOrigin = trusted ? "agent" : "untrusted";
  const call = async (method: "search" | "get", params: object, signal: AbortSignal): Promise<unknown> =>
    plugin.call({ type: "memory", method, params: { ...params } }, { timeoutMs: PLUGIN_LIMITS.memoryMs, signal, isOwnFailure: true });
  const status = async (): Promise<MemoryStatus> => {
    const { problem } = plugin;
    const problems = problem === undefined ? [] : [hideSecrets(problem)];
    return Promise.resolve({ provider: `plugin ${id}`, works: problem === undefined, files: 0, chunks: 0, problems });
  };
  return {
    search: async ({ query, maxResults, minScore }, { agentId, signal }): Promise<MemoryAnswer> => {
      try {
        const found = await call("search", { query, maxResults, agentId }, signal);
        const hits = (Array.isArray(found) ? found : []).flatMap((one): readonly MemoryHit[] => {
          const hit = toHit(one, origin, hideSecrets);
          return hit === undefined || hit.score < minScore ? [] : [hit];
        });
        return { hits: hits.slice(0, maxResults) };
      } catch (error) {
        signal.throwIfAborted();
        return { hits: [], degraded: `the plugin ${id} did not answer: ${hideSecrets(wordsOf(error))}` };
      }
    },
    get: async ({ path, from, lines }, { agentId, signal }): Promise<MemoryPassage> => {
      try {
        const passage = toPassage(await call("get", { path, from, lines, agentId }, signal), { path, origin, hideSecrets });
        return passage ?? { type: "not-found", message: `The memory has no ${path}.` };
      } catch (error) {
        signal.throwIfAborted();
        return { type: "not-found", message: `The plugin ${id} did not answer: ${hideSecrets(wordsOf(error))}.` };
      }
    },
    status,
    // The plugin keeps its own index, if it has one.
    index: async () => ({ status: await status(), changes: [] }),
  };
}

function toHit(value: unknown, origin: MemoryOrigin, hideSecrets: (text: string) => string): MemoryHit | undefined {
  if (!isObject(value)) return undefined;
  const { path, text, score, day } = value;
  const lines = linesOf(value);
  if (typeof path !== "string" || !isPath(path) || typeof text !== "string" || typeof score !== "number" || lines === undefined)
    return undefined;
  const dated = typeof day === "string" && /^\d{4}-\d{2}-\d{2}$/.test(day) ? { day } : {};
  const bounded = Math.min(1, Math.max(0, score));
  return { path: hideSecrets(path), ...lines, text: textOf(text, hideSecrets), score: bounded, source: "notes", origin, ...dated };
}

function toPassage(
  value: unknown,
  { path, origin, hideSecrets }: { readonly path: string; readonly origin: MemoryOrigin; readonly hideSecrets: (text: string) => string },
): MemoryPassage | undefined {
  const lines = linesOf(value);
  if (!isObject(value) || typeof value["text"] !== "string" || lines === undefined) return undefined;
  return { type: "found", path, ...lines, text: textOf(value["text"], hideSecrets), origin, isCut: value["isCut"] === true };
}

function linesOf(value: unknown): { readonly startLine: number; readonly endLine: number } | undefined {
  if (!isObject(value)) return undefined;
  const { startLine, endLine } = value;
  const isLine = (line: unknown): line is number => typeof line === "number" && Number.isSafeInteger(line) && line >= 1;
  return isLine(startLine) && isLine(endLine) && endLine >= startLine ? { startLine, endLine } : undefined;
}

function textOf(text: string, hideSecrets: (text: string) => string): string {
  return hideSecrets(text).slice(0, MAX_TEXT_CHARS).toWellFormed();
}

function isPath(path: string): boolean {
  return path !== "" && path.length <= MAX_PATH_CHARS && !/\p{C}/u.test(path);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown reason";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
