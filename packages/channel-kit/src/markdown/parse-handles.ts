import type { Mention } from "@factotum/channel-contract";

/** How a platform writes the names of people into its texts. */
export interface HandleOptions {
  /** The bot's own handle, without `@`. */
  readonly bot: string;
  /** Handles that notify a whole room, such as `here`; they mention no person. */
  readonly everyone?: readonly string[];
  /** Characters of a handle, as a class of a regular expression with the flag `v`; `[a-z0-9._\-]` by default. A dot or dash at the end belongs to the sentence. */
  readonly characters?: string;
}

/** Who is mentioned in a text. */
export interface ParsedHandles {
  readonly mentionsBot: boolean;
  /** Others, each once, as they are first written. */
  readonly mentions: readonly Mention[];
}

/**
 * Finds people that a platform names as `@handle` in its texts, in any case. A handle stands on its own: none is found in `mail@handle.example`, `/@handle`,
 * or within code marked by backquotes.
 */
export function parseHandles(text: string, { bot, everyone = [], characters = String.raw`[a-z0-9._\-]` }: HandleOptions): ParsedHandles {
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_.@\/\-])@(${characters}*[\p{L}\p{N}_])(?!@)`, "giv");
  const ignored = new Set(everyone.map(fold));
  const found = new Map<string, string>();
  for (const [, handle = ""] of withoutCode(text).matchAll(pattern)) {
    if (!ignored.has(fold(handle)) && !found.has(fold(handle))) found.set(fold(handle), handle);
  }
  const mentionsBot = found.delete(fold(bot));
  return { mentionsBot, mentions: [...found.values()].map((name) => ({ name })) };
}

function fold(handle: string): string {
  return handle.toLowerCase();
}

/** The text with its code blanked out. */
function withoutCode(text: string): string {
  return text.replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, " ");
}
