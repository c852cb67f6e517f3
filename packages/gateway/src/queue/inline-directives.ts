import { THINKING_LEVELS, withoutUndefined } from "@factotum/agent-contract";
import type { ThinkingLevel } from "@factotum/agent-contract";
import { outsideCode } from "../kernel/outside-code.ts";

/** Where a model's thoughts are shown: nowhere, in the chat before the reply, or in the chat as they stream. */
export const REASONING_CHOICES = ["off", "on", "stream"] as const;

export type ReasoningChoice = (typeof REASONING_CHOICES)[number];

/** What a chat is shown of tool calls: nothing, their starts, or their results too. */
export const VERBOSE_CHOICES = ["off", "on", "full"] as const;

export type VerboseChoice = (typeof VERBOSE_CHOICES)[number];

/** Directives of one message to the gateway; they apply to this message alone. */
export interface InlineDirectives {
  /** The message without its directives. */
  readonly text: string;
  readonly thinking?: ThinkingLevel;
  readonly reasoning?: ReasoningChoice;
  readonly verbose?: VerboseChoice;
}

const DIRECTIVE = /(?<!\S)\/(think|reasoning|verbose)[ \t]+([a-z]+)(?:[ \t]+|(?=\s)|$)/gi;

/**
 * Removes `/think <level>`, `/reasoning <choice>` and `/verbose <choice>` from a message that has other text too; a repeated directive overrides earlier ones.
 * Directives in code or with an unknown value stay text.
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
