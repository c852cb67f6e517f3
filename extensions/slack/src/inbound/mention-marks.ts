import type { Mention } from "@factotum/channel-contract";

/** Stands around the id of a person in a parsed text until the name is known. */
const OPEN = "\uE000";
const CLOSE = "\uE001";
const MARK = /\uE000([A-Z0-9]+)\uE001/g;

/** Longest name that is put into a text, in characters. */
const MAX_NAME_CHARS = 100;

/** Marks a person in a parsed text. */
export function markPerson(id: string): string {
  return `${OPEN}${id}${CLOSE}`;
}

/** Removes characters of a person's text that would be taken for a mark. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/[\uE000\uE001]/g, "");
}

/** The ids of marked people, each once. */
export function markedPeople(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(MARK), ([, id = ""]) => id))];
}

/**
 * Replaces the marks by names, and lists the people except the bot. The bot's name at the very beginning only addresses the message and is removed. A person
 * without a known name is shown by their id.
 */
export function nameMentions(
  text: string,
  options: { readonly botId: string; readonly botName: string; readonly names: ReadonlyMap<string, string> },
): { readonly text: string; readonly mentions: readonly Mention[]; readonly mentionsBot: boolean } {
  const { botId, botName, names } = options;
  const people = markedPeople(text);
  const nameOf = (id: string): string => {
    const name = (id === botId ? botName : names.get(id))?.replaceAll(/\s+/g, " ").trim().slice(0, MAX_NAME_CHARS).toWellFormed() ?? "";
    return name === "" ? id : name;
  };
  const addressed = text.trimStart().startsWith(markPerson(botId));
  const rest = addressed ? text.trimStart().slice(markPerson(botId).length).trimStart() : text;
  return {
    text: rest.replaceAll(MARK, (_, id: string) => `@${nameOf(id)}`),
    mentions: people.filter((id) => id !== botId).map((id) => ({ id, name: nameOf(id) })),
    mentionsBot: people.includes(botId),
  };
}
