import type { Card, Origin } from "@factotum/channel-contract";

/** A Markdown text as the agent of an address says it: below its name, where several agents answer the conversation. */
export function asSpoken(text: string, { speaker }: Pick<Origin, "speaker">): string {
  if (speaker === undefined) return text;
  const name = `**${speaker.replaceAll(/[\\`*_[\]<>]/g, String.raw`\$&`)}**`;
  return text === "" ? name : `${name}\n\n${text}`;
}

/** The same for a card. */
export function asSpokenCard(card: Card, target: Pick<Origin, "speaker">): Card {
  return target.speaker === undefined ? card : { ...card, body: asSpoken(card.body, target) };
}
