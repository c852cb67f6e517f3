import type { Media } from "@factotum/channel-contract";
import { opusDurationMs, shownFormat } from "./file-format.ts";
import type { MessageBody } from "./render-text.ts";

/** The content of a message, as the platform accepts it. */
export type MessageContent =
  | MessageBody
  | { readonly msg_type: "image" | "file" | "audio" | "media" | "interactive"; readonly content: string };

/** A file for the platform; `type` is its name for the kind. */
export interface Upload {
  readonly type: "image" | "opus" | "mp4" | "pdf" | "doc" | "xls" | "ppt" | "stream";
  readonly file: File;
  /** Length of a voice message, which is shown with it. */
  readonly durationMs?: number;
}

const DOCUMENTS: Readonly<Record<string, Upload["type"]>> = {
  pdf: "pdf",
  doc: "doc",
  docx: "doc",
  xls: "xls",
  xlsx: "xls",
  ppt: "ppt",
  pptx: "ppt",
};

/** The upload for a file. A kind that the platform supports in one format only is sent as a plain file in any other. */
export function uploadOf({ kind, mimeType, fileName, bytes }: Media): Upload {
  const name = fileName ?? `${kind}.${mimeType.split("/")[1]?.replace(/\W.*$/, "") ?? "bin"}`;
  const type = typeOf(kind, bytes, name);
  const durationMs = type === "opus" ? opusDurationMs(bytes) : undefined;
  return { type, file: new File([new Uint8Array(bytes)], name, { type: mimeType }), ...(durationMs !== undefined && { durationMs }) };
}

/** The message that shows an uploaded file. */
export function contentOf({ type }: Upload, key: string): MessageContent {
  switch (type) {
    case "image":
      return { msg_type: "image", content: JSON.stringify({ image_key: key }) };
    case "opus":
      return { msg_type: "audio", content: JSON.stringify({ file_key: key }) };
    case "mp4":
      return { msg_type: "media", content: JSON.stringify({ file_key: key }) };
    default:
      return { msg_type: "file", content: JSON.stringify({ file_key: key }) };
  }
}

/** The format that is shown for each kind; a file of the kind in any other format is sent as a plain file. */
const SHOWN: Readonly<Record<Media["kind"], Upload["type"] | undefined>> = { image: "image", audio: "opus", video: "mp4", file: undefined };

function typeOf(kind: Media["kind"], bytes: Uint8Array, name: string): Upload["type"] {
  const format = shownFormat(bytes);
  if (format !== undefined && format === SHOWN[kind]) return format;
  return DOCUMENTS[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? "stream";
}
