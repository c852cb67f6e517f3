import { formatKeyPath, valueAt, type KeyPath, type LoadedConfig } from "@factotum/config";
import { CHANNELS } from "./extensions.ts";

/** An id in the file that matches no one on its channel, and the form that would. */
export interface SenderIdProblem {
  /** The key path of the id. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

type Written = LoadedConfig["written"];

interface SenderId {
  readonly path: KeyPath;
  readonly id: string;
}

/** Ids of people in lists of the file that match no one, because their channel identifies senders by another kind of id. */
export async function senderIdProblems(written: Written): Promise<readonly SenderIdProblem[]> {
  const problems: SenderIdProblem[] = [];
  for (const { id: channel, loadSenderIdCheck } of CHANNELS) {
    if (loadSenderIdCheck === undefined) continue;
    const entries = senderIds(written, channel);
    if (entries.length === 0) continue;
    const problemOf = await loadSenderIdCheck();
    for (const { path, id } of entries) {
      const problem = problemOf(id);
      if (problem !== undefined) problems.push({ path: formatKeyPath(path), message: problem.message, fix: problem.fix });
    }
  }
  return problems;
}

/** Every id of a person of this channel. */
function senderIds(written: Written, channel: string): readonly SenderId[] {
  const prefix = `${channel}:`;
  const prefixed = [["commands", "ownerAllowFrom"], ...childrenOf(written, ["session", "identityLinks"])].flatMap((path) =>
    idsAt(written, path).flatMap((entry) => (entry.id.startsWith(prefix) ? [{ ...entry, id: entry.id.slice(prefix.length) }] : [])),
  );
  const accounts = [["channels", channel], ...childrenOf(written, ["channels", channel, "accounts"])];
  const lists = accounts.flatMap((account) => [account, ...childrenOf(written, [...account, "groups"])]);
  return [...prefixed, ...lists.flatMap((place) => idsAt(written, [...place, "allowFrom"]))];
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
