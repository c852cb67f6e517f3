import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { SlackApi } from "./api/slack-api.ts";
import { toChannelError } from "./errors.ts";
import { fileIdOf } from "./inbound/attachment-ref.ts";

const InfoSchema = z.looseObject({
  file: z.looseObject({
    url_private_download: z.string().optional(),
    url_private: z.string().optional(),
    mimetype: z.string().default(""),
    size: z.number().optional(),
  }),
});

/** As `Channel.fetchAttachment`: the file's address is asked for, and used on the platform's hosts only. */
export async function fetchAttachment(
  api: SlackApi,
  attachment: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
): Promise<Media> {
  const id = fileIdOf(attachment.ref);
  if (id === undefined) throw new ChannelError("not-found", "this attachment is not one of Slack's", { retry: { type: "never" } });
  try {
    const { file } = InfoSchema.parse(await api.call("files.info", { file: id }, { signal: options.signal }));
    const url = file.url_private_download ?? file.url_private;
    if (url === undefined) throw new PlatformFailure({ type: "refused", code: "file_not_found" }, "the file has no address");
    if (file.size !== undefined && file.size > options.maxBytes)
      throw new PlatformFailure({ type: "http", status: 413 }, `the file has more than ${options.maxBytes} bytes`);
    const { bytes, headers } = await api.download(url, options);
    const type = headers.get("content-type")?.split(";")[0]?.trim() ?? "";
    // Without the right to read it, the platform answers with the page of its login.
    if (type === "text/html" && file.mimetype !== "text/html")
      throw new PlatformFailure({ type: "refused", code: "permission_denied" }, "the file cannot be read with the bot token");
    return {
      kind: attachment.kind,
      mimeType: type || file.mimetype || (attachment.mimeType ?? "application/octet-stream"),
      bytes,
      ...(attachment.fileName !== undefined && { fileName: attachment.fileName }),
      ...(attachment.voice !== undefined && { voice: attachment.voice }),
    };
  } catch (error) {
    throw toChannelError(error);
  }
}
