import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import { raceAbort } from "@factotum/channel-kit";
import { refusal, toChannelError } from "./errors.ts";
import { parseRef } from "./inbound/attachment-ref.ts";
import { fetchPart } from "./transport/fetched-mail.ts";
import type { Mailbox } from "./transport/mailbox.ts";

/** As `Channel.fetchAttachment`: reads the part of the mail. */
export async function fetchAttachment(
  mailbox: Mailbox,
  { ref, kind, mimeType, fileName }: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
): Promise<Media> {
  try {
    const place = parseRef(ref);
    if (place === undefined) throw refusal("not-found", "this attachment is not one of a mail");
    const link = await mailbox.connect(options);
    if (link.validity !== place.validity) throw refusal("not-found", "the server has numbered the folder again since this mail was read");
    const bytes = await raceAbort(fetchPart(link.imap, place.uid, place.part, options.maxBytes), options);
    if (bytes === undefined) throw refusal("not-found", "the mail with this file is not in the folder any more");
    if (bytes.length > options.maxBytes) throw refusal("too-long", `the file has more than ${options.maxBytes} bytes`);
    return { kind, mimeType: mimeType ?? "application/octet-stream", bytes, ...(fileName !== undefined && { fileName }) };
  } catch (error) {
    throw toChannelError(error);
  }
}
