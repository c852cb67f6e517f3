import { parseOwnId } from "../message-id.ts";
import type { KnownThreads } from "../state/known-threads.ts";
import type { MailHeaders } from "./mail-headers.ts";

/**
 * Message-ID of the first mail of a mail's thread. A mail of this account that it answers names the thread, since some programs name that mail alone; otherwise
 * it is the oldest mail that it names, or itself.
 */
export async function findRoot(
  { messageId, inReplyTo, references }: Pick<MailHeaders, "messageId" | "inReplyTo" | "references">,
  { address, person, threads }: { readonly address: string; readonly person: string; readonly threads: KnownThreads },
): Promise<string> {
  const named = [...(inReplyTo === undefined ? [] : [inReplyTo]), ...references.toReversed()];
  for (const id of named) {
    const own = parseOwnId(id, address);
    if (own === undefined) continue;
    if (own.thread === undefined) return id;
    const known = await threads.find(person, own.thread);
    if (known !== undefined) return known.root;
  }
  return references[0] ?? inReplyTo ?? messageId;
}
