import { cutText } from "@factotum/agent-core";
import type { OutboxRecord, OutboxStore } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AccountAddress } from "../delivery/account-gates.ts";
import { conversationKey } from "../kernel/conversation-key.ts";
import { EXPIRED_REASON } from "../delivery/expired-row.ts";
import { sendKey } from "../kernel/idempotency-key.ts";
import { timeText } from "./session-notices.ts";
import type { Notices } from "./notices.ts";

/** Dead letters that are read at a time, newest first. */
const PAGE = 200;

/** Messages of a notice that are quoted. */
const MAX_QUOTED = 5;
const QUOTED_CHARS = 80;

/** Messages that expired longer ago are not reported. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/**
 * Reports in the conversations of an account which messages expired while nothing could be sent there: one notice per conversation. Its idempotency key names
 * the newest of these messages, so that none is reported twice, even across restarts.
 */
export async function notifyExpired(
  account: AccountAddress,
  { store, steadyNow, notices }: { readonly store: OutboxStore; readonly steadyNow: () => number; readonly notices: Notices },
): Promise<void> {
  const rows = await listExpired(account, { store, steadyNow });
  for (const ofConversation of Map.groupBy(rows, ({ target }) => conversationKey(target)).values()) {
    const unreported: OutboxRecord[] = [];
    for (const row of ofConversation) {
      if ((await store.findOutbound(sendKey(...identityOf(row), 0))) !== undefined) break;
      unreported.unshift(row);
    }
    const newest = unreported.at(-1);
    if (newest === undefined) continue;
    await notices.sendToChat(newest.sessionKey, newest.target, { text: expiredText(unreported), identity: identityOf(newest) });
  }
}

/** Recently expired rows, newest first. Reads further pages as long as they contain recent failures. */
async function listExpired(
  account: AccountAddress,
  { store, steadyNow }: { readonly store: OutboxStore; readonly steadyNow: () => number },
): Promise<readonly OutboxRecord[]> {
  const rows: OutboxRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listDeadLetters({ type: "outbound", limit: PAGE, ...withoutUndefined({ cursor }) });
    const lately = page.items.filter(({ failedAtMs }) => steadyNow() - failedAtMs < MAX_AGE_MS);
    for (const { type, reason, record } of lately) {
      const isOurs = type === "outbound" && reason === EXPIRED_REASON && record !== undefined && isOf(record, account);
      if (isOurs && record.purpose !== "notice") rows.push(record);
    }
    cursor = lately.length === 0 ? undefined : page.cursor;
  } while (cursor !== undefined);
  return rows;
}

function isOf({ target }: OutboxRecord, { channel, accountId }: AccountAddress): boolean {
  return target.channel === channel && target.accountId === accountId;
}

function identityOf({ id }: OutboxRecord): readonly string[] {
  return ["expired", id];
}

function expiredText(rows: readonly OutboxRecord[]): string {
  const quoted = rows.slice(0, MAX_QUOTED).map(({ createdAtMs, outbound }) => {
    return `- ${timeText(createdAtMs)}: ${cutText(outbound.text.replaceAll(/\s+/g, " ").trim(), QUOTED_CHARS, "…")}`;
  });
  const more = rows.length - quoted.length;
  return [
    `I could not send here for a while, and ${rows.length === 1 ? "a message" : `${rows.length} messages`} of mine ran out of time:`,
    ...quoted,
    ...(more > 0 ? [`- and ${more} more`] : []),
    "Please ask again if you still need it.",
  ].join("\n");
}
