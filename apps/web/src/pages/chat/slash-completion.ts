import type { CommandSummary } from "@factotum/protocol";
import { gatewayText } from "../../i18n/gateway-text.ts";

/** What a text in the message field can become. */
export interface Completion {
  readonly text: string;
  /** The word that is added. */
  readonly label: string;
  readonly detail: string;
}

/** A list longer than this is no help. */
const MAX_SHOWN = 40;

/** What the beginning of a command can become: a name, then a first word after it. Names that begin with the text come before those that contain it. */
export function completeSlash(text: string, commands: readonly CommandSummary[]): readonly Completion[] {
  const [, typed] = /^\/([^\s/]*)$/.exec(text) ?? [];
  if (typed !== undefined) return completeName(typed.toLowerCase(), commands);
  const [, name = "", word] = /^\/(\S+)[ \t]+(\S*)$/.exec(text) ?? [];
  const command = word === undefined ? undefined : commands.find((each) => [each.name, ...each.aliases].includes(name.toLowerCase()));
  const words = (command?.words ?? []).filter((each) => each.startsWith((word ?? "").toLowerCase()) && each !== word);
  return words.map((each) => ({ text: `/${name} ${each}`, label: each, detail: "" })).slice(0, MAX_SHOWN);
}

function completeName(typed: string, commands: readonly CommandSummary[]): readonly Completion[] {
  const all = commands.flatMap((command) => [command.name, ...command.aliases].map((name) => ({ name, command })));
  const begins = all.filter(({ name }) => name.startsWith(typed));
  const contains = typed === "" ? [] : all.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  return [...begins, ...contains].slice(0, MAX_SHOWN).map(({ name, command }) => {
    const { hint, summary, words } = command;
    const takesMore = hint !== undefined || words.length > 0 || command.type !== "built-in";
    return {
      text: takesMore ? `/${name} ` : `/${name}`,
      label: `/${name}${hint === undefined ? "" : ` ${gatewayText(hint)}`}`,
      detail: summary,
    };
  });
}
