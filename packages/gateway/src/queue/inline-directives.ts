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
  /** Commands run on the host instead of in the sandbox, or do not although the conversation says so. */
  readonly elevated?: boolean;
}

const DIRECTIVE = /(?<!\S)\/(think|reasoning|verbose|elevated)[ \t]+([a-z]+)(?:[ \t]+|(?=\s)|$)/gi;

/**
 * Removes `/think <level>`, `/reasoning <choice>` and `/verbose <choice>` from a message that has other text too; a repeated directive overrides earlier ones.
 * Directives in code or with an unknown value stay text, and so does `/elevated on|off` of a sender who may not give it.
 */
export function parseInlineDirectives(text: string, { mayElevate }: { readonly mayElevate: boolean }): InlineDirectives {
  let thinking: ThinkingLevel | undefined;
  let reasoning: ReasoningChoice | undefined;
  let verbose: VerboseChoice | undefined;
  let elevated: boolean | undefined;
  const rest = outsideCode(text, (part) =>
    part.replaceAll(DIRECTIVE, (written, name: string, value: string) => {
      const level = THINKING_LEVELS.find((known) => known === value.toLowerCase());
      const choice = REASONING_CHOICES.find((known) => known === value.toLowerCase());
      const shown = VERBOSE_CHOICES.find((known) => known === value.toLowerCase());
      if (name.toLowerCase() === "think" && level !== undefined) thinking = level;
      else if (name.toLowerCase() === "reasoning" && choice !== undefined) reasoning = choice;
      else if (name.toLowerCase() === "verbose" && shown !== undefined) verbose = shown;
      else if (name.toLowerCase() === "elevated" && mayElevate && /^(?:on|off)$/i.test(value)) elevated = value.toLowerCase() === "on";
      else return written;
      return "";
    }),
  ).trim();
  const directives = withoutUndefined({ thinking, reasoning, verbose, elevated });
  return rest === "" || Object.keys(directives).length === 0 ? { text } : { text: rest, ...directives };
}
