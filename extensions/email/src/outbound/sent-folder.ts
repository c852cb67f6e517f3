import type { CallOptions, ChannelHost, Reconciliation } from "@factotum/channel-contract";
import { messageId } from "@factotum/channel-contract";
import { reasonOf } from "@factotum/channel-kit";
import type { ImapFlow } from "imapflow";
import type { EmailConfig } from "../config.ts";
import type { MailAccount } from "../login/logins.ts";
import { ownMarker } from "../message-id.ts";
import type { SendMarks } from "../state/send-marks.ts";
import type { Mailbox } from "../transport/mailbox.ts";
import { openImap } from "../transport/open-imap.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How far back a mail proves that the server stores copies. */
const PROOF_MS = 60 * DAY_MS;
const ATTEMPTS = 2;

/** What is known of sent mails. */
interface ReconcileParts extends MailAccount {
  readonly marks: SendMarks;
}

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
      logger.warn("no copy of a sent mail was stored", { folder: sentFolder, reason: reasonOf(error) });
    });
  };
}

/**
 * Whether a mail was sent whose answer was lost. One that was never begun is not. Otherwise it is looked for in the folder of sent mail, on a connection of its
 * own; that it is not there says something only if the server stores copies, which another mail of this account shows. Never rejects.
 */
export async function reconcile(
  parts: ReconcileParts,
  mail: { readonly id: string; readonly sentAtMs: number },
  options: CallOptions,
): Promise<Reconciliation> {
  // A connection that breaks says nothing, and the question is asked only once.
  for (let attempt = 0; attempt < ATTEMPTS && !options.signal.aborted; attempt += 1) {
    const found = await lookUp(parts, mail, options).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return { type: "unknown" };
}

async function lookUp(
  { marks, ...account }: ReconcileParts,
  { id, sentAtMs }: { readonly id: string; readonly sentAtMs: number },
  options: CallOptions,
): Promise<Reconciliation> {
  if (!(await marks.has(id))) return { type: "not-shown" };
  const { config } = account;
  const connection = await openImap(account, options);
  const { imap } = connection;
  try {
    const folder = config.sentFolder ?? (await imap.list()).find(({ specialUse }) => specialUse === "\\Sent")?.path;
    if (folder === undefined) return { type: "unknown" };
    await imap.mailboxOpen(folder, { readOnly: true });
    if (await has(imap, id, sentAtMs - DAY_MS)) return { type: "shown", messageIds: [messageId(id)] };
    // Copies that this channel stores are those of mails whose answer was not lost.
    if (config.sentFolder !== undefined) return { type: "unknown" };
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
