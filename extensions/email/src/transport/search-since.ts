import type { ImapFlow } from "imapflow";
import { endedFailure } from "../errors.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Servers compare days, not times, and their clocks differ. */
const MARGIN_MS = DAY_MS;
/** A mail may have been on its way for so long. */
const TRANSIT_MS = 3 * DAY_MS;
/** The gateway knows events for two weeks: an older mail could be passed on twice. */
const KNOWN_MS = 13 * DAY_MS;

/**
 * UIDs of what arrived since a time, oldest first, with a margin whose mails may be known already. A mail that is much older by its own date is left out: when a
 * mailbox moves to another server, all of it may arrive on one day.
 */
export async function searchSince(imap: ImapFlow, sinceMs: number, nowMs: number): Promise<readonly number[]> {
  const fromMs = Math.max(sinceMs - MARGIN_MS, Math.min(sinceMs, nowMs - KNOWN_MS));
  const uids = await imap
    .search({ since: new Date(fromMs), sentSince: new Date(fromMs - TRANSIT_MS) }, { uid: true })
    .catch((error: unknown) => {
      throw endedFailure("imap", error);
    });
  if (uids === false || uids === undefined) throw endedFailure("imap", new Error("the server refused to search the folder"));
  const dated: { readonly uid: number; readonly atMs: number }[] = [];
  for (const uid of uids) {
    const found = await imap.fetchOne(String(uid), { uid: true, internalDate: true }, { uid: true });
    const atMs = found === false || found.internalDate === undefined ? undefined : new Date(found.internalDate).getTime();
    if (atMs === undefined || atMs >= fromMs) dated.push({ uid, atMs: atMs ?? nowMs });
  }
  return dated.map(({ uid }) => uid).toSorted((one, other) => one - other);
}
