import type { CallOptions, ProbeResult } from "@factotum/channel-contract";
import type { EmailConfig } from "./config.ts";
import type { MailAccount } from "./login/logins.ts";
import { parseHeaders } from "./inbound/mail-headers.ts";
import { authservIdsOf } from "./inbound/prove-sender.ts";
import { checkSmtp } from "./outbound/deliver-mail.ts";
import { fetchMail } from "./transport/fetched-mail.ts";
import { openFolder } from "./transport/open-folder.ts";
import { openImap } from "./transport/open-imap.ts";

/**
 * Logs in to both servers, opens the folder and reads the headers of its newest mail, which name the server that proves senders. Changes nothing. Rejects with a
 * PlatformFailure.
 */
export async function probe(account: MailAccount, options: CallOptions): Promise<ProbeResult> {
  const { config } = account;
  const connection = await openImap(account, options);
  const { imap } = connection;
  try {
    const { exists } = await openFolder(imap, config.folder);
    const [newest] = exists === 0 ? [] : (await imap.search({ seq: String(exists) }, { uid: true })) || [];
    const mail = newest === undefined ? undefined : await fetchMail(imap, newest);
    const authservIds = mail === undefined ? undefined : authservIdsOf(await parseHeaders(mail.headers));
    await checkSmtp(account, options);
    const { address } = config;
    return {
      account: { id: address, name: address },
      missingPermissions: [],
      notes: [noteOf(config, authservIds)].flatMap((note) => note ?? []),
    };
  } finally {
    await connection.close(options);
  }
}

/** What the newest mail says about the proof of senders; `undefined` if everything is right. */
function noteOf({ folder, senderVerification }: EmailConfig, found: readonly string[] | undefined): string | undefined {
  if (senderVerification !== undefined && "trustFrom" in senderVerification)
    return "Every From is believed (trustFrom): whoever can send mail to this address can pretend to be its owner.";
  const wanted = senderVerification?.authservId.toLowerCase();
  if (found === undefined) return `${folder} is empty: send a mail from outside and probe again to learn the authserv-id of its server.`;
  if (wanted !== undefined && found[0] === wanted) return undefined;
  const names = found.join(", ");
  const [topmost] = found;
  if (wanted === undefined)
    return topmost === undefined
      ? "senderVerification is not set, so every mail is refused, and the newest one has no Authentication-Results: its server does not check senders, or it came from inside."
      : `senderVerification is not set, so every mail is refused. The newest one has Authentication-Results of ${names}; if ${topmost} is the receiving server, set senderVerification.authservId to it.`;
  return topmost === undefined
    ? `The newest mail has no Authentication-Results of ${wanted}: such mail is refused.`
    : `The newest mail has Authentication-Results of ${names}; with authservId ${wanted} ${found.includes(wanted) ? "those above it are ignored" : "such mail is refused"}.`;
}
