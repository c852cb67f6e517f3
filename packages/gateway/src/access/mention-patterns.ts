import { createContext, Script } from "node:vm";
import type { Context } from "node:vm";
import type { Logger } from "@factotum/agent-contract";
import { patternCost } from "@factotum/config";

/** Characters of a message that patterns are applied to. */
const MAX_CHARS = 2000;
/** For all expensive patterns together. */
const TIMEOUT_MS = 50;

/** Finds mentions in a text; bounded in time for any text. */
export type MatchMention = (text: string) => boolean;

/** The matcher without patterns. */
export const NO_MENTIONS: MatchMention = () => false;

const TEST_ALL = "patterns.some((pattern) => pattern.test(text))";

/**
 * Compiles the patterns of `messages.groupChat.mentionPatterns`, case-insensitive. Expensive ones run with a time limit, which stops the engine in the middle of
 * an expression; a text that exceeds it counts as no mention, and is logged once.
 */
export function compileMentionPatterns(sources: readonly string[], logger: Pick<Logger, "warn">): MatchMention {
  const cheap = compile(sources.filter((source) => patternCost(source) === "low"));
  const expensive = compile(sources.filter((source) => patternCost(source) === "high"));
  if (expensive.length === 0) return cheap.length === 0 ? NO_MENTIONS : (text) => matches(cheap, text.slice(0, MAX_CHARS));
  const script = new Script(TEST_ALL);
  const context: Context = createContext({ patterns: expensive, text: "" });
  let isReported = false;
  return (whole) => {
    const text = whole.slice(0, MAX_CHARS);
    if (matches(cheap, text)) return true;
    context["text"] = text;
    try {
      return script.runInContext(context, { timeout: TIMEOUT_MS }) === true;
    } catch (error) {
      if (!isReported) logger.warn("The patterns of messages.groupChat.mentionPatterns take too long, and count as no mention", { error });
      isReported = true;
      return false;
    }
  };
}

function compile(sources: readonly string[]): readonly RegExp[] {
  return sources.map((source) => new RegExp(source, "iu"));
}

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text));
}
