import type { FetchMessageObject, ImapFlow, MessageStructureObject } from "imapflow";
import { endedFailure } from "../errors.ts";

/** Bounds of what is read of one mail, in bytes. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Of each text; what is beyond it is left out. */
export const MAX_TEXT_BYTES: number = 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;

/** One mail of the folder without its bodies. */
export interface FetchedMail {
  readonly uid: number;
  readonly headers: Buffer;
  /** `undefined` if it cannot be read: the library refuses parts inside parts beyond a depth. */
  readonly structure: MessageStructureObject | undefined;
  /** When the server got it, milliseconds since the epoch; 0 if unknown. */
  readonly receivedAtMs: number;
}

/** Fetches headers and structure; `undefined` if the mail is gone. The mail stays unread. */
export async function fetchMail(imap: ImapFlow, uid: number): Promise<FetchedMail | undefined> {
  // A response that the library cannot parse is left out by it, as if the mail were gone.
  const fetched = (await fetchHeaders(imap, uid, true)) ?? (await fetchHeaders(imap, uid, false));
  if (fetched?.headers === undefined) return undefined;
  const receivedAtMs = fetched.internalDate === undefined ? 0 : new Date(fetched.internalDate).getTime();
  return {
    uid,
    headers: fetched.headers,
    structure: fetched.bodyStructure,
    receivedAtMs: Number.isFinite(receivedAtMs) ? receivedAtMs : 0,
  };
}

async function fetchHeaders(imap: ImapFlow, uid: number, bodyStructure: boolean): Promise<FetchMessageObject | undefined> {
  const bodyParts = [{ key: "header", start: 0, maxLength: MAX_HEADER_BYTES }];
  const fetched = await imap
    .fetchOne(String(uid), { uid: true, internalDate: true, bodyStructure, bodyParts }, { uid: true })
    .catch((error: unknown) => {
      throw endedFailure("imap", error);
    });
  // The library reports a broken connection in the same way as a mail that is gone.
  if (fetched === false && !imap.usable) throw endedFailure("imap", undefined);
  return fetched === false ? undefined : fetched;
}

/** Fetches a part, decoded, a text as UTF-8; at most `maxBytes` and one more, by which a longer one is known. `undefined` if there is none. */
export async function fetchPart(imap: ImapFlow, uid: number, part: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const { content } = await imap.download(String(uid), part, { uid: true, maxBytes: maxBytes + 1, chunkSize: CHUNK_BYTES });
    // The library's types promise a content; a part that does not exist has none.
    if ((content as typeof content | undefined) === undefined) {
      if (!imap.usable) throw new Error("there is no connection");
      return undefined;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch (error) {
    throw endedFailure("imap", error);
  }
}
