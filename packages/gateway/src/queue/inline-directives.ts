import { THINKING_LEVELS, withoutUndefined } from "@factotum/agent-contract";
import type { ThinkingLevel } from "@factotum/agent-contract";
import { outsideCode } from "../kernel/outside-code.ts";

/** Who sees the thoughts of a model: nobody, the chat before a reply, or the chat at once. */
export const REASONING_CHOICES = ["off", "on", "stream"] as const;

/** One of them. */
export type ReasoningChoice = (typeof REASONING_CHOICES)[number];

/** What a chat is told of tools: nothing, that they begin, or what they bring too. */
export const VERBOSE_CHOICES = ["off", "on", "full"] as const;

/** One of them. */
export type VerboseChoice = (typeof VERBOSE_CHOICES)[number];

/** What a message says to us beside what it says to the model; it holds for this message alone. */
export interface InlineDirectives {
  /** The message without them. */
  readonly text: string;
  readonly thinking?: ThinkingLevel;
  readonly reasoning?: ReasoningChoice;
  readonly verbose?: VerboseChoice;
}

const DIRECTIVE = /(?<!\S)\/(think|reasoning|verbose)[ \t]+([a-z]+)(?:[ \t]+|(?=\s)|$)/gi;

/**
 * Takes `/think <level>`, `/reasoning <choice>` and `/verbose <choice>` out of a message that says more than that; of several the last counts. What stands in code, or
 * names no level, is text.
 */
export function parseInlineDirectives(text: string): InlineDirectives {
  let thinking: ThinkingLevel | undefined;
  let reasoning: ReasoningChoice | undefined;
  let verbose: VerboseChoice | undefined;
  const rest = outsideCode(text, (part) =>
    part.replaceAll(DIRECTIVE, (written, name: string, value: string) => {
      const level = THINKING_LEVELS.find((known) => known === value.toLowerCase());
      const choice = REASONING_CHOICES.find((known) => known === value.toLowerCase());
      const shown = VERBOSE_CHOICES.find((known) => known === value.toLowerCase());
      if (name.toLowerCase() === "think" && level !== undefined) thinking = level;
      else if (name.toLowerCase() === "reasoning" && choice !== undefined) reasoning = choice;
      else if (name.toLowerCase() === "verbose" && shown !== undefined) verbose = shown;
      else return written;
      return "";
    }),
  ).trim();
  if (rest === "" || (thinking === undefined && reasoning === undefined && verbose === undefined)) return { text };
  return {
    text: rest,
    ...withoutUndefined({ thinking, reasoning, verbose }),
  };
}
