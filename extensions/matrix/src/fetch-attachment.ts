import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import type { MatrixApi } from "./api/matrix-api.ts";
import { toChannelError } from "./errors.ts";
import { addressOf } from "./inbound/attachment-ref.ts";

/** As `Channel.fetchAttachment`. */
export async function fetchAttachment(
  api: MatrixApi,
  attachment: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
): Promise<Media> {
  const address = addressOf(attachment.ref);
  if (address === undefined) throw new ChannelError("not-found", "this attachment is not one of Matrix's", { retry: { type: "never" } });
  try {
    const { bytes, headers } = await api.download(address, options);
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
