import { formatKeyPath, isAvailable, valueAt, type KeyPath, type LoadedConfig } from "@factotum/config";
import { parseOwnerEntry } from "./account-name.ts";
import type { ChannelCatalog } from "./extensions.ts";
import { idCheck, type IdProblem } from "../extensions/id-forms.ts";

/** An id in the file that matches no one on its channel, and the form that would. */
export interface SenderIdProblem extends IdProblem {
  /** The key path of the id. */
  readonly path: string;
  /** Without the channel's prefix. */
  readonly id: string;
  readonly channel: string;
}

type Written = LoadedConfig["written"];

interface SenderId {
  readonly path: KeyPath;
  readonly id: string;
}

/** Ids of people and groups in the file that match no one, because their channel's ids have another form. */
export async function senderIdProblems(written: Written, { channels }: ChannelCatalog): Promise<readonly SenderIdProblem[]> {
  const problems: SenderIdProblem[] = [];
  const check = (channel: string, entries: readonly SenderId[], problemOf: (id: string) => IdProblem | undefined): void => {
    for (const { path, id } of entries) {
      const problem = problemOf(id);
      if (problem !== undefined) problems.push({ ...problem, path: formatKeyPath(path), channel, id });
    }
  };
  for (const channel of channels.flatMap((one) => (isAvailable(one) ? [one] : []))) {
    const [people, members] = [senderIds(written, channel.id), memberIds(written, channel.id)];
    const groups = groupIds(written, channel.id);
    if (people.length + members.length + groups.length === 0) continue;
    const { people: personForm, members: memberForm = personForm, conversations: groupForm } = (await channel.loadManifest()).ids ?? {};
    if (personForm !== undefined) check(channel.id, people, idCheck(personForm, "people"));
    if (memberForm !== undefined) check(channel.id, members, idCheck(memberForm, "members"));
    if (groupForm !== undefined) check(channel.id, groups, idCheck(groupForm, "conversations"));
  }
  return problems;
}

function groupIds(written: Written, channel: string): readonly SenderId[] {
  const groups = accountsOf(written, channel).flatMap((account) => childrenOf(written, [...account, "groups"]));
  return groups.map((path) => ({ path, id: String(path.at(-1)) }));
}

function accountsOf(written: Written, channel: string): readonly KeyPath[] {
  return [["channels", channel], ...childrenOf(written, ["channels", channel, "accounts"])];
}

/** Every id of a person of this channel that counts outside groups, too. */
function senderIds(written: Written, channel: string): readonly SenderId[] {
  const prefixed = [["commands", "ownerAllowFrom"], ...childrenOf(written, ["session", "identityLinks"])].flatMap((path) =>
    idsAt(written, path).flatMap((entry) => {
      const person = parseOwnerEntry(entry.id);
      return person?.channel === channel ? [{ ...entry, id: person.id }] : [];
    }),
  );
  return [...prefixed, ...accountsOf(written, channel).flatMap((account) => idsAt(written, [...account, "allowFrom"]))];
}

/** Every id of a person of this channel that counts in a group alone. */
function memberIds(written: Written, channel: string): readonly SenderId[] {
  const groups = accountsOf(written, channel).flatMap((account) => childrenOf(written, [...account, "groups"]));
  // The keys of `toolsBySender` have been checked with the configuration.
  return groups.flatMap((group) => idsAt(written, [...group, "allowFrom"]));
}

/** A value with a placeholder is known only when it is read. */
function idsAt(written: Written, path: KeyPath): readonly SenderId[] {
  const list = valueAt(written, path);
  if (!Array.isArray(list)) return [];
  return list.flatMap((id: unknown, index) => (typeof id === "string" && !id.includes("${") ? [{ path: [...path, index], id }] : []));
}

function childrenOf(written: Written, path: KeyPath): readonly KeyPath[] {
  const value = valueAt(written, path);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value).map((key) => [...path, key]) : [];
}
