import type { MailboxObject } from "imapflow";
import type { ImapFlow } from "imapflow";
import { endedFailure, refusal } from "../errors.ts";

/** Opens a folder without changing anything in it; rejects with a PlatformFailure that names the folders that there are. */
export async function openFolder(imap: ImapFlow, folder: string): Promise<MailboxObject> {
  try {
    return await imap.mailboxOpen(folder, { readOnly: true });
  } catch (cause) {
    if (!imap.usable) throw endedFailure("imap", cause);
    const folders = await imap.list().catch((error: unknown) => {
      throw endedFailure("imap", error);
    });
    const names = folders.map(({ path }) => path).slice(0, 30);
    throw refusal("not-found", `the folder "${folder}" cannot be opened; there are: ${names.join(", ")}`, { cause });
  }
}
