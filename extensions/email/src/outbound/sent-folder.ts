import type { CallOptions, ChannelHost, Reconciliation } from "@factotum/channel-contract";
import { messageId } from "@factotum/channel-contract";
import type { ImapFlow } from "imapflow";
import type { EmailConfig } from "../config.ts";
import { ownMarker } from "../message-id.ts";
import type { Mailbox } from "../transport/mailbox.ts";
import { openImap } from "../transport/open-imap.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back a mail proves that the server stores copies. */
const PROOF_MS = 60 * DAY_MS;
const ATTEMPTS = 2;

/** Stores copies of sent mails in a folder; a copy that cannot be stored is logged, and changes nothing for the mail. */
export function createCopyKeeper(
  { sentFolder }: EmailConfig,
  { logger }: Pick<ChannelHost, "logger">,
  { mailbox, signal }: { readonly mailbox: Mailbox; readonly signal: AbortSignal },
): (source: Buffer) => void {
  if (sentFolder === undefined) return () => undefined;
  const store = async (source: Buffer): Promise<void> => {
    const { imap } = await mailbox.connect({ signal });
    if ((await imap.append(sentFolder, source, ["\\Seen"])) === false) throw new Error("the server refused it");
  };
  return (source) => {
    store(source).catch((error: unknown) => {
      logger.warn("no copy of a sent mail was stored", { folder: sentFolder, reason: error instanceof Error ? error.message : "unknown" });
    });
  };
}

/**
 * Looks for a mail in the folder in which the server stores what it sends, on a connection of its own. That it is not there says something only if another mail of
 * this account is: otherwise the server stores no copies. Never rejects.
 */
export async function reconcile(
  config: EmailConfig,
  mail: { readonly ids: readonly string[]; readonly sentAtMs: number },
  options: CallOptions,
): Promise<Reconciliation> {
  // A connection that breaks says nothing, and the question is asked only once.
  for (let attempt = 0; attempt < ATTEMPTS && !options.signal.aborted; attempt += 1) {
    const found = await lookUp(config, mail, options).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return { type: "unknown" };
}

async function lookUp(
  config: EmailConfig,
  { ids, sentAtMs }: { readonly ids: readonly string[]; readonly sentAtMs: number },
  options: CallOptions,
): Promise<Reconciliation> {
  const connection = await openImap(config, options);
  const { imap } = connection;
  try {
    const sent = (await imap.list()).find(({ specialUse }) => specialUse === "\\Sent");
    if (sent === undefined) return { type: "unknown" };
    await imap.mailboxOpen(sent.path, { readOnly: true });
    for (const id of ids) if (await has(imap, id, sentAtMs - DAY_MS)) return { type: "shown", messageIds: [messageId(id)] };
    return (await has(imap, ownMarker(config.address), sentAtMs - PROOF_MS)) ? { type: "not-shown" } : { type: "unknown" };
  } finally {
    await connection.close(options);
  }
}

async function has(imap: ImapFlow, id: string, sinceMs: number): Promise<boolean> {
  const found = await imap.search({ header: { "message-id": id }, since: new Date(sinceMs - DAY_MS) }, { uid: true });
  if (found === false || found === undefined) throw new Error("the server refused to search the folder");
  return found.length > 0;
}
