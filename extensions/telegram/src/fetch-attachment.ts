import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, CallOptions, Media } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { TelegramApi } from "./api/telegram-api.ts";
import { toChannelError } from "./errors.ts";
import { fileIdOf } from "./inbound/attachment-ref.ts";

const FileSchema = z.looseObject({ file_path: z.string().min(1), file_size: z.number().optional() });

/** As `Channel.fetchAttachment`: the platform names a path for the file, which is then downloaded. */
export async function fetchAttachment(
  api: TelegramApi,
  attachment: AttachmentRef,
  options: CallOptions & { readonly maxBytes: number },
): Promise<Media> {
  const id = fileIdOf(attachment.ref);
  if (id === undefined) throw new ChannelError("not-found", "this attachment is not one of Telegram's", { retry: { type: "never" } });
  try {
    const file = FileSchema.safeParse(await api.call("getFile", { file_id: id }, { signal: options.signal }));
    if (!file.success) throw new PlatformFailure({ type: "refused", code: "not-found" }, "Telegram names no path of the file");
    const { file_path: path, file_size: size } = file.data;
    if (size !== undefined && size > options.maxBytes)
      throw new PlatformFailure({ type: "http", status: 413 }, `the file has more than ${options.maxBytes} bytes`);
    const { bytes } = await api.download(path, options);
    return {
      kind: attachment.kind,
      mimeType: attachment.mimeType ?? "application/octet-stream",
      bytes,
      ...(attachment.fileName !== undefined && { fileName: attachment.fileName }),
      ...(attachment.voice !== undefined && { voice: attachment.voice }),
    };
  } catch (error) {
    throw toChannelError(error);
  }
}
