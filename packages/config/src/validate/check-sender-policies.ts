import type { KeyPath } from "../document/key-path.ts";
import { matchingPaths } from "../document/matching-paths.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { isAvailable, type AvailableChannel, type ChannelSource } from "./channel-source.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

const SENDERS = ["channels.*.groups.*.toolsBySender.*", "channels.*.accounts.*.groups.*.toolsBySender.*"];

/** Keys that name people by something that they can change, or that the gateway cannot check. */
const BY_NAME = /^(?:e164|username|name):/i;

/** `channel:<channel>:<id>` or `id:<id>` without its id. */
const WITHOUT_ID = /^(?:id:|channel:[^:]*(?::\s*)?)$/i;

/** Validates the keys of `toolsBySender`. A key that matches nobody narrows nothing, and one that a person can leave by a new name does not hold. */
export async function checkSenderPolicies(document: Document, sources: readonly ChannelSource[]): Promise<readonly ConfigProblem[]> {
  const paths = SENDERS.flatMap((place) => matchingPaths(document, place));
  const found = await Promise.all(
    paths.map(async (path) => ({ path, problem: await problemOf(path, channelsOf(path, document, sources)) })),
  );
  return found.flatMap(({ path, problem }) => (problem === undefined ? [] : [problemAt("unenforced", path, problem)]));
}

/** The channels in whose groups a key counts: one, or for `channels.defaults` all that are configured. */
function channelsOf([, id]: KeyPath, { channels }: Document, sources: readonly ChannelSource[]): readonly AvailableChannel[] {
  const configured = isPlainObject(channels) ? channels : {};
  const isMeant = (one: string): boolean => (id === "defaults" ? Object.hasOwn(configured, one) : one === id);
  return sources.filter(isAvailable).filter((source) => isMeant(source.id));
}

async function problemOf(path: KeyPath, channels: readonly AvailableChannel[]): Promise<string | undefined> {
  const key = String(path.at(-1));
  if (key === "*") return undefined;
  if (BY_NAME.test(key))
    return `"${key}" names a person by what they can change; write the id that the platform gives them, as in allowFrom`;
  if (WITHOUT_ID.test(key) || key.trim() !== key) return `"${key}" names nobody; write an id, id:<id> or channel:<channel>:<id>`;
  const [, channel, id] = /^(?:channel:([^:]+):|id:)?(.+)$/s.exec(key) ?? [];
  const matching = channel === undefined ? channels : channels.filter((one) => one.id === channel);
  const [place] = channels;
  if (matching.length === 0 && place !== undefined && path[1] !== "defaults")
    return `"${key}" names nobody in a group of ${place.id}; write an id, id:<id> or channel:${place.id}:<id>`;
  const problems = await Promise.all(matching.map(async (one) => one.memberIdProblem?.(id ?? key)));
  // An id that fits one of the channels, or that cannot be checked on one of them, can match.
  return problems.every((problem) => problem !== undefined) ? problems[0] : undefined;
}
