import type { TestMessage } from "@factotum/channel-conformance";

/** A person without a username. */
export const BOB = 1002;

/** The text of a message with the names that it mentions, and their entities. */
export function withMentions(
  { text, mentionsBob, mentionsBot }: TestMessage,
  username: string,
): { readonly text: string; readonly entities: readonly object[] } {
  const names = [
    ...(mentionsBob === true ? [{ name: "Bob", type: "text_mention", user: { id: BOB, is_bot: false, first_name: "Bob" } }] : []),
    ...(mentionsBot === true ? [{ name: `@${username}`, type: "mention" }] : []),
  ];
  let whole = text;
  const entities = names.map(({ name, ...entity }) => {
    whole = `${whole} ${name}`;
    return { ...entity, offset: whole.length - name.length, length: name.length };
  });
  return { text: whole, entities };
}
