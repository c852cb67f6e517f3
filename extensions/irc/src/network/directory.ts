import type { DirectoryEntry } from "@factotum/channel-contract";
import type { Link } from "../connection/link.ts";
import { personId } from "../conversation-id.ts";

/** Our channels and the people in them whose name, account or id contains `query`, at most `limit`. Others are not known: a network lists nobody. */
export function searchDirectory(
  { session, members, joiner }: Pick<Link, "session" | "members" | "joiner">,
  query: string,
  { limit }: { readonly limit: number },
): readonly DirectoryEntry[] {
  const { facts } = session;
  const wanted = facts.fold(query.trim());
  const channels = joiner.joined.map((name): DirectoryEntry => ({ type: "channel", id: facts.fold(name), name }));
  const people = members.all
    .filter(({ nick }) => !session.isSelf(nick))
    .map(({ nick, account }): DirectoryEntry => {
      const id = account === undefined ? personId({ type: "nick", name: facts.fold(nick) }) : personId({ type: "account", name: account });
      return { type: "person", id, name: nick };
    });
  const isFound = ({ id, name = "" }: DirectoryEntry): boolean => id.includes(wanted) || facts.fold(name).includes(wanted);
  return [...channels, ...people].filter(isFound).slice(0, limit);
}
