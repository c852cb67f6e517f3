import type { AttachmentRef } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import type { Attachment } from "chat";
import * as z from "zod";

const RefSchema = z.strictObject({
  type: z.enum(["image", "file", "video", "audio"]),
  fetchMetadata: z.record(z.string(), z.string()).optional(),
  url: z.url({ protocol: /^https$/ }).optional(),
  mimeType: z.string().optional(),
  name: z.string().optional(),
  size: z.number().nonnegative().optional(),
});

/** A file as a reference from which the adapter can fetch it after a restart, too; `undefined` for one that it could not. */
export function toAttachmentRef({ type, fetchMetadata, mimeType, name, size, url }: Attachment): AttachmentRef | undefined {
  const parsed = RefSchema.safeParse(
    JSON.parse(JSON.stringify({ type, fetchMetadata, mimeType, name, size, ...(fetchMetadata === undefined && { url }) })),
  );
  if (!parsed.success || (parsed.data.fetchMetadata === undefined && parsed.data.url === undefined)) return undefined;
  return {
    kind: type,
    ref: JSON.stringify(parsed.data),
    ...(mimeType !== undefined && { mimeType }),
    ...(name !== undefined && { fileName: name }),
    ...(size !== undefined && { sizeBytes: size }),
  };
}

/** The file of a reference as adapters know it; `undefined` for a foreign one. */
export function parseAttachmentRef(ref: string): Attachment | undefined {
  const parsed = parseOwn(ref, RefSchema);
  return parsed === undefined ? undefined : (JSON.parse(JSON.stringify(parsed)) as Attachment);
}
