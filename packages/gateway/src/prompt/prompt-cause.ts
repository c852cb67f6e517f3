import type { PromptSources } from "../workspace/source-changes.ts";

/** Why a session's prompt is rendered anew; everything else waits for one of these. */
export type PromptCause =
  | "new-session"
  | "config-change"
  /** Another model, or another level of thinking. */
  | "model-change"
  /** The model's thoughts are shown now, or hidden. */
  | "reasoning-change"
  | "extra-change"
  | "privacy-end"
  | "cold-cache"
  | "compaction";

/** What a stored prompt was rendered from, as far as a change of it is a cause. */
export interface PromptBasis {
  /** Fingerprint of the agent's configuration. */
  readonly config: string;
  /** Reference of the session's model. */
  readonly model: string;
  readonly thinking: string;
  /** Who sees the model's thoughts. */
  readonly reasoning: string;
  /** Fingerprint of the Extra section; empty without one. */
  readonly extra: string;
  readonly isPrivate: boolean;
  /** How often the conversation has been compacted. */
  readonly compactions: number;
  /** The channel whose format the prompt tells; empty without one. No cause: a turn from elsewhere is told the difference. */
  readonly channel: string;
  /** Files and skills that the prompt took in. A change of one of these is no cause: it waits, and is announced. */
  readonly sources: PromptSources;
  /** When a cause last rendered the history anew: older messages are shown as they are from then on. 0 while there was none. */
  readonly settledBeforeMs: number;
}

/** Clocks that are kept right go back by a little now and then. */
const CLOCK_TOLERANCE_MS = 60_000;

/** What the decision rests on. */
export interface CauseQuery {
  readonly stored: { readonly basis: string; readonly renderedAtMs: number } | undefined;
  readonly basis: Omit<PromptBasis, "sources" | "settledBeforeMs" | "channel">;
  /** When the session last did anything; the cache is at least that warm. */
  readonly activeAtMs: number;
  readonly nowMs: number;
  /** How long the provider of the session's model keeps what it has read; `Infinity` where that does not expire. */
  readonly cacheLifetimeMs: number;
}

/** The strongest cause that holds now, or `undefined`: then the stored prompt stays as it is. */
export function findPromptCause(query: CauseQuery): PromptCause | undefined {
  const { stored, basis } = query;
  if (stored === undefined) return "new-session";
  const before = parseBasis(stored.basis);
  if (before?.config !== basis.config) return "config-change";
  if (before.model !== basis.model || before.thinking !== basis.thinking) return "model-change";
  // An older build showed nobody's thoughts, and did not note it.
  if ((before.reasoning ?? "off") !== basis.reasoning) return "reasoning-change";
  // A request without system messages of its own goes on under those of the session.
  if (basis.extra !== "" && before.extra !== basis.extra) return "extra-change";
  if (before.isPrivate && !basis.isPrivate) return "privacy-end";
  if (before.compactions !== basis.compactions) return "compaction";
  if (query.nowMs - query.activeAtMs > query.cacheLifetimeMs) return "cold-cache";
  // The clock was set back: how old the cache is cannot be known, and what was settled then would stay so for ever.
  const latestMs = query.nowMs + CLOCK_TOLERANCE_MS;
  if (query.activeAtMs > latestMs || before.settledBeforeMs > latestMs) return "cold-cache";
  return undefined;
}

/** The basis as it is stored beside a prompt. */
export function renderBasis(basis: PromptBasis): string {
  return JSON.stringify(basis);
}

/** A basis as it may lie on disk. */
type StoredBasis = Omit<PromptBasis, "reasoning" | "channel"> & Partial<Pick<PromptBasis, "reasoning" | "channel">>;

/** The basis of a stored prompt; `undefined` for one of an older build. */
export function parseBasis(text: string): StoredBasis | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "config" in value ? (value as StoredBasis) : undefined;
  } catch (error) {
    // A basis of an older build: the prompt is rendered anew.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
