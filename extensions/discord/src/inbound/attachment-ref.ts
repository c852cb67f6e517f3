import type { AttachmentRef, MediaKind } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";
import type { DiscordAttachment } from "./platform-types.ts";

/** Where a file is found. Its address is not kept: it is valid for a day. */
export interface FileRef {
  readonly channel: string;
  readonly message: string;
  readonly id: string;
}

const id = z.string().regex(/^\d{1,20}$/);
const RefSchema = z.strictObject({ channel: id, message: id, id });

/** Reads a reference; `undefined` if it is not one of this platform. */
export function parseFileRef(ref: string): FileRef | undefined {
  return parseOwn(ref, RefSchema);
}

/** The files of a message, in their order. */
export function attachmentsOf(
  attachments: readonly DiscordAttachment[],
  { channel, message }: Omit<FileRef, "id">,
): readonly AttachmentRef[] {
  return attachments.map(({ id: file, filename, title, size, content_type: type, waveform }) => {
    const fileName = nameOf({ filename, title });
    return {
      kind: kindOf(type ?? ""),
      ref: JSON.stringify({ channel, message, id: file }),
      ...(type && { mimeType: type.split(";", 1)[0]?.trim() ?? type }),
      ...(fileName !== "" && { fileName }),
      ...(size !== undefined && { sizeBytes: size }),
      ...(waveform && { voice: true }),
    };
  });
}

/** The platform replaces characters of a name; the title is the name as it was, with or without its end. */
function nameOf({ filename, title }: Pick<DiscordAttachment, "filename" | "title">): string {
  if (!title) return filename;
  const [end = ""] = /\.[^.]*$/.exec(filename) ?? [];
  return title.endsWith(end) ? title : `${title}${end}`;
}

function kindOf(mimeType: string): MediaKind {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
