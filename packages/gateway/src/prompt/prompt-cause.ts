import type { SkillEntry } from "@factotum/agent-contract";
import type { PromptSources } from "../workspace/source-changes.ts";

/** Why a session's prompt is re-rendered; all other changes wait for one of these causes. */
export type PromptCause =
  | "new-session"
  /** A sub-agent starts with the prompt of its parent. */
  | "fork"
  | "config-change"
  /** Another model, or another level of thinking. */
  | "model-change"
  /** The model's thoughts are shown now, or hidden. */
  | "reasoning-change"
  /** The owner's commands run on the host now, or in the sandbox again. */
  | "elevated-change"
  | "extra-change"
  /** A client offers other tools of its own. */
  | "client-tools-change"
  | "privacy-end"
  | "cold-cache"
  | "compaction"
  /** The owner has forgotten a part of the conversation, or something that the prompt quoted. */
  | "forgotten";

/** A skill in a stored prompt. */
type PromptSkillFacts = Pick<SkillEntry, "name" | "source" | "version">;

/** The facts that a stored prompt was rendered from, as far as their changes are causes. */
export interface PromptBasis {
  /** Fingerprint of the agent's configuration. */
  readonly config: string;
  /** Reference of the session's model. */
  readonly model: string;
  readonly thinking: string;
  /** Where the model's thoughts are shown. */
  readonly reasoning: string;
  /** What `/elevated` does in the session. */
  readonly elevated: "off" | "ask" | "full";
  /** Fingerprint of the Extra section; empty without one. */
  readonly extra: string;
  /** Fingerprint of the client's tools; empty without any. */
  readonly clientTools: string;
  /** Fingerprint of the MCP servers that an editor brings; empty without any. */
  readonly editorTools: string;
  readonly isPrivate: boolean;
  /** How often the conversation has been compacted. */
  readonly compactions: number;
  /** The channel whose format the prompt describes; empty without one. Not a cause: a turn from elsewhere describes the difference. */
  readonly channel: string;
  /** Files and skills in the prompt. Their changes are not causes: they wait, and are announced. */
  readonly sources: PromptSources;
  /** The skills of the prompt, for `/context`. */
  readonly skills: readonly PromptSkillFacts[];
  /** Names of the tools that the session reaches through `tool_call`: skills may need them. */
  readonly deferredTools: readonly string[];
  /** Of a prompt that was taken over: the key under which the provider caches it, that of the session that it was rendered for. */
  readonly cacheKey?: string;
  /** When a cause last re-rendered the history: older messages are unchanged since then. 0 if there was none. */
  readonly settledBeforeMs: number;
}

/** The facts that are known once a prompt is rendered; none of them is a cause. */
export type RenderedFacts = "sources" | "skills" | "deferredTools" | "settledBeforeMs" | "cacheKey";

/** NTP corrections set clocks back slightly. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Input of the decision. */
export interface CauseQuery {
  readonly stored: { readonly basis: string; readonly renderedAtMs: number } | undefined;
  readonly basis: Omit<PromptBasis, RenderedFacts | "channel">;
  /** When the session last did anything; the cache is at least that warm. */
  readonly activeAtMs: number;
  readonly nowMs: number;
  /** How long the provider of the session's model caches a prefix; `Infinity` if it does not expire. */
  readonly cacheLifetimeMs: number;
}

/** The strongest current cause, or `undefined`: then the stored prompt is kept. */
export function findPromptCause(query: CauseQuery): PromptCause | undefined {
  const { stored, basis } = query;
  if (stored === undefined) return "new-session";
  const before = parseBasis(stored.basis);
  if (before?.forgotten === true) return "forgotten";
  if (before?.config !== basis.config) return "config-change";
  if (before.model !== basis.model || before.thinking !== basis.thinking) return "model-change";
  // An older version never showed thoughts, and did not record it.
  if ((before.reasoning ?? "off") !== basis.reasoning) return "reasoning-change";
  if ((before.elevated ?? "off") !== basis.elevated) return "elevated-change";
  // A request without its own system messages keeps those of the session.
  if (basis.extra !== "" && before.extra !== basis.extra) return "extra-change";
  // The same is true of its own tools: a call without a client is answered with an error.
  if (basis.clientTools !== "" && before.clientTools !== basis.clientTools) return "client-tools-change";
  // And of the servers of an editor, which may have left.
  if (basis.editorTools !== "" && before.editorTools !== basis.editorTools) return "client-tools-change";
  if (before.isPrivate && !basis.isPrivate) return "privacy-end";
  if (before.compactions !== basis.compactions) return "compaction";
  if (query.nowMs - query.activeAtMs > query.cacheLifetimeMs) return "cold-cache";
  // The clock was set back: the age of the cache is unknown, and results pruned then would stay pruned forever.
  const latestMs = query.nowMs + CLOCK_TOLERANCE_MS;
  if (query.activeAtMs > latestMs || before.settledBeforeMs > latestMs) return "cold-cache";
  return undefined;
}

/** Serialises the basis stored with a prompt. */
export function renderBasis(basis: PromptBasis): string {
  return JSON.stringify(basis);
}

/** A basis as stored, possibly by an older version. `forgotten` is set by the store, which may have emptied the prompt. */
type StoredBasis = Omit<PromptBasis, LaterFacts> & Partial<Pick<PromptBasis, LaterFacts>> & { readonly forgotten?: true };

/** Facts that older versions did not store. */
type LaterFacts = "reasoning" | "elevated" | "channel" | "skills" | "clientTools" | "editorTools" | "deferredTools";

/** The last parsed basis: a turn needs the same one in several places. */
let parsed: { readonly text: string; readonly basis: StoredBasis | undefined } | undefined;

/** The basis of a stored prompt; `undefined` for one of an older build. */
export function parseBasis(text: string): StoredBasis | undefined {
  if (parsed?.text !== text) parsed = { text, basis: parse(text) };
  return parsed.basis;
}

function parse(text: string): StoredBasis | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "config" in value ? (value as StoredBasis) : undefined;
  } catch (error) {
    // A basis of an older version: the prompt is re-rendered.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
