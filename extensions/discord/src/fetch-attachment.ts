import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import type { DiscordApi } from "./api/discord-api.ts";
import { readMessage } from "./context/history.ts";
import { toChannelError } from "./errors.ts";
import { parseFileRef } from "./inbound/attachment-ref.ts";

/** As `Channel.fetchAttachment`: the platform names the file's address, which is valid for a day, with its message. */
export async function fetchAttachment(
  api: DiscordApi,
  attachment: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
): Promise<Media> {
  const ref = parseFileRef(attachment.ref);
  if (ref === undefined) throw new ChannelError("not-found", "this attachment is not one of Discord's", { retry: { type: "never" } });
  try {
    const message = await readMessage(api, ref.channel, ref.message, { signal: options.signal });
    const forwarded = message.message_snapshots?.flatMap((snapshot) => snapshot.message.attachments) ?? [];
    const file = [...message.attachments, ...forwarded].find(({ id }) => id === ref.id);
    if (file?.url === undefined)
      throw new PlatformFailure({ type: "refused", code: "10008", status: 404 }, "the file is not there any more");
    if (file.size !== undefined && file.size > options.maxBytes)
      throw new PlatformFailure({ type: "http", status: 413 }, `the file has more than ${options.maxBytes} bytes`);
    const { bytes, headers } = await api.download(file.url, options);
    return {
      kind: attachment.kind,
      mimeType: attachment.mimeType ?? headers.get("content-type")?.split(";", 1)[0]?.trim() ?? "application/octet-stream",
      bytes,
      ...(attachment.fileName !== undefined && { fileName: attachment.fileName }),
      ...(attachment.voice !== undefined && { voice: attachment.voice }),
    };
  } catch (error) {
    throw toChannelError(error);
  }
}
