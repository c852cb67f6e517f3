import { createHash } from "node:crypto";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, showJson } from "../json.ts";
import { unmarked, unmarkedBlock } from "./canonical-request.ts";
import type { AnthropicUsage } from "./reply.ts";
import { estimateTokens } from "./tokens.ts";

const TTL_MS = { "5m": 300_000, "1h": 3_600_000 };
type Ttl = keyof typeof TTL_MS;

/** How far before a mark the vendor searches for an older entry, in blocks. */
const LOOK_BACK = 20;

interface Block {
  /** Hash of everything up to and including this block, without marks. */
  readonly prefix: string;
  readonly tokens: number;
  readonly mark: Ttl | undefined;
}

/**
 * The vendor's prompt cache: marks create entries, an entry is the whole prefix up to its mark, and a later request reads the longest entry that it begins
 * with. Model, tools, system and messages form a prefix; tool choice and thinking settings belong to the messages. Entries expire, and each use renews them.
 */
export class PromptCache {
  readonly #entries = new Map<string, { readonly expiresAtMs: number; readonly ttlMs: number }>();

  /** The cost of a request, and the entries that it creates. `minTokens`: a shorter prefix is neither read nor written. */
  charge(body: JsonObject, options: { nowMs: number; minTokens: number }): Omit<AnthropicUsage, "output_tokens"> {
    const { nowMs, minTokens } = options;
    const blocks = cacheBlocks(body);
    const totals = runningTotals(blocks);
    const marks = [...blocks.keys()].filter((index) => blocks[index]?.mark !== undefined && (totals[index] ?? 0) >= minTokens);

    const read = this.#longestHit(blocks, marks, nowMs);
    let covered = read === undefined ? 0 : (totals[read] ?? 0);
    const readTokens = covered;
    if (read !== undefined) this.#renew(blocks[read]?.prefix ?? "", nowMs);
    const written: Record<Ttl, number> = { "5m": 0, "1h": 0 };
    for (const index of marks) {
      const { mark = "5m", prefix = "" } = blocks[index] ?? {};
      const total = totals[index] ?? 0;
      written[mark] += Math.max(0, total - covered);
      covered = Math.max(covered, total);
      const ttlMs = Math.max(this.#isAlive(prefix, nowMs) ? (this.#entries.get(prefix)?.ttlMs ?? 0) : 0, TTL_MS[mark]);
      this.#entries.set(prefix, { ttlMs, expiresAtMs: nowMs + ttlMs });
    }
    return {
      input_tokens: (totals.at(-1) ?? 0) - covered,
      cache_creation_input_tokens: written["5m"] + written["1h"],
      cache_read_input_tokens: readTokens,
      cache_creation: { ephemeral_5m_input_tokens: written["5m"], ephemeral_1h_input_tokens: written["1h"] },
    };
  }

  #longestHit(blocks: readonly Block[], marks: readonly number[], nowMs: number): number | undefined {
    for (const mark of marks.toReversed()) {
      for (let index = mark; index >= Math.max(0, mark - LOOK_BACK); index -= 1) {
        const prefix = blocks[index]?.prefix ?? "";
        if (this.#isAlive(prefix, nowMs)) return index;
      }
    }
    return undefined;
  }

  #isAlive(prefix: string, nowMs: number): boolean {
    return (this.#entries.get(prefix)?.expiresAtMs ?? 0) > nowMs;
  }

  /** Reading renews an entry for its original lifetime. */
  #renew(prefix: string, nowMs: number): void {
    const entry = this.#entries.get(prefix);
    if (entry !== undefined) this.#entries.set(prefix, { ...entry, expiresAtMs: nowMs + entry.ttlMs });
  }
}

function cacheBlocks(body: JsonObject): readonly Block[] {
  const blocks: Block[] = [];
  let hash = digest("", body["model"] ?? null);
  const add = (place: string, value: JsonValue, bare: JsonValue): void => {
    hash = digest(hash, [place, bare]);
    blocks.push({ prefix: hash, tokens: estimateTokens(bare), mark: markOf(value) });
  };
  for (const tool of listOf(body["tools"])) add("tools", tool, unmarked(tool));
  for (const block of listOf(body["system"])) add("system", block, unmarked(block));
  hash = digest(hash, [body["tool_choice"] ?? null, body["thinking"] ?? null]);
  for (const message of listOf(body["messages"])) {
    if (!isJsonObject(message)) continue;
    for (const block of listOf(message["content"])) add(showJson(message["role"]), block, unmarkedBlock(block));
  }
  const last = blocks.at(-1);
  const automatic = markOf(body);
  return last === undefined || automatic === undefined ? blocks : [...blocks.slice(0, -1), { ...last, mark: last.mark ?? automatic }];
}

function runningTotals(blocks: readonly Block[]): readonly number[] {
  let total = 0;
  return blocks.map(({ tokens }) => (total += tokens));
}

/** The ttl of a block's mark, or of one inside it. */
function markOf(value: JsonValue): Ttl | undefined {
  if (!isJsonObject(value)) return undefined;
  const mark = value["cache_control"];
  if (isJsonObject(mark)) return mark["ttl"] === "1h" ? "1h" : "5m";
  const inner = value["type"] === "tool_result" && isJsonArray(value["content"]) ? value["content"] : [];
  return inner.map(markOf).findLast((ttl) => ttl !== undefined);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return isJsonArray(value) ? value : [];
}

function digest(previous: string, value: JsonValue): string {
  return createHash("sha256").update(previous).update(JSON.stringify(value)).digest("base64");
}
