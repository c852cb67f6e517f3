import type { AttachmentRef, MediaKind } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";

/** A file of the workspace, as messages show it. */
export interface SlackFileInfo {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly mimetype?: string | null | undefined;
  readonly size?: number | null | undefined;
  readonly mode?: string | null | undefined;
  readonly subtype?: string | null | undefined;
}

/** Parses a file of a message. */
export const FileSchema: z.ZodType<SlackFileInfo> = z.looseObject({
  id: z.string().min(1),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  mode: z.string().nullish(),
  subtype: z.string().nullish(),
});

const RefSchema = z.strictObject({ file: z.string().regex(/^F[A-Z0-9]{1,40}$/) });

/** The attachments of a message; deleted and hidden files have no bytes. */
export function attachmentsOf(files: readonly SlackFileInfo[]): readonly AttachmentRef[] {
  return files
    .filter(({ mode }) => mode !== "tombstone" && mode !== "hidden_by_limit")
    .map(({ id, name, mimetype, size, subtype }) => ({
      kind: kindOf(mimetype ?? ""),
      ref: JSON.stringify({ file: id }),
      ...(mimetype ? { mimeType: mimetype } : {}),
      ...(name ? { fileName: name } : {}),
      ...(typeof size === "number" && size >= 0 && { sizeBytes: size }),
      ...(subtype === "slack_audio" && { voice: true }),
    }));
}

/** The file's id in the reference of an attachment; `undefined` for anything else. */
export function fileIdOf(ref: string): string | undefined {
  return parseOwn(ref, RefSchema)?.file;
}

function kindOf(mimeType: string): MediaKind {
  const [type] = mimeType.split("/");
  return type === "image" || type === "audio" || type === "video" ? type : "file";
}
