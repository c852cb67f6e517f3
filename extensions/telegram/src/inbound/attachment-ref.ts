import type { AttachmentRef, MediaKind } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";
import type { MessageContent, TelegramFileInfo } from "./update-types.ts";

const RefSchema = z.strictObject({ file: z.string().min(1) });

/** The file of a reference; `undefined` if it is not one of this platform. */
export function fileIdOf(ref: string): string | undefined {
  return parseOwn(ref, RefSchema)?.file;
}

/** The attachments of a message; it has one at most, and an album is several messages. */
export function attachmentsOf(content: MessageContent): readonly AttachmentRef[] {
  const { photo, document, audio, voice, video, video_note: note, animation, sticker } = content;
  // The sizes of one image, smallest first.
  const image = photo?.at(-1);
  if (image !== undefined) return [attachment("image", { ...image, mime_type: "image/jpeg" })];
  if (voice !== undefined) return [{ ...attachment("audio", { ...voice, mime_type: voice.mime_type ?? "audio/ogg" }), voice: true }];
  if (audio !== undefined) return [attachment("audio", audio)];
  if (animation !== undefined) return [attachment(kindOf(animation, "video"), animation)];
  if (video !== undefined) return [attachment("video", video)];
  if (note !== undefined) return [attachment("video", { ...note, mime_type: "video/mp4" })];
  if (sticker !== undefined) {
    if (sticker.is_video === true) return [attachment("video", { ...sticker, mime_type: "video/webm" })];
    if (sticker.is_animated === true) return [attachment("file", { ...sticker, mime_type: "application/gzip" })];
    return [attachment("image", { ...sticker, mime_type: "image/webp" })];
  }
  return document === undefined ? [] : [attachment(kindOf(document, "file"), document)];
}

function kindOf({ mime_type: mimeType = "" }: TelegramFileInfo, otherwise: MediaKind): MediaKind {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : otherwise;
}

function attachment(
  kind: MediaKind,
  { file_id: file, mime_type: mimeType, file_name: fileName, file_size: size }: TelegramFileInfo,
): AttachmentRef {
  return {
    kind,
    ref: JSON.stringify({ file }),
    ...(mimeType !== undefined && { mimeType }),
    ...(fileName !== undefined && fileName !== "" && { fileName }),
    ...(size !== undefined && { sizeBytes: size }),
  };
}
