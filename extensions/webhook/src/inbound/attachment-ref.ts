import type { AttachmentRef, MediaKind } from "@factotum/channel-contract";
import type { ServiceAttachment } from "./event-schema.ts";

/** An attachment by its address; the kind is that of its MIME type. */
export function attachmentOf({ url, name, mimeType, sizeBytes, voice }: ServiceAttachment): AttachmentRef {
  return {
    kind: kindOf(mimeType),
    ref: url,
    ...(mimeType !== undefined && { mimeType }),
    ...(name !== undefined && { fileName: name }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(voice && { voice }),
  };
}

function kindOf(mimeType = ""): MediaKind {
  const [type] = mimeType.split("/");
  return type === "image" || type === "audio" || type === "video" ? type : "file";
}
