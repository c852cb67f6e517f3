import type { AttachmentRef, MediaKind, UntrustedNote } from "@factotum/channel-contract";
import * as z from "zod";
import { attachmentRef } from "./attachment-ref.ts";
import { noteOf } from "./parse-note.ts";
import { parsePost } from "./parse-post.ts";

/** The content of a message. */
export interface ParsedContent {
  readonly text: string;
  readonly attachments: readonly AttachmentRef[];
  /** Text that the sender selected without writing it: the name of a place on the platform's map, the text of a shared card. */
  readonly untrusted?: readonly UntrustedNote[];
}

const FieldsSchema = z.looseObject({
  text: z.string().optional(),
  image_key: z.string().optional(),
  file_key: z.string().optional(),
  file_name: z.string().optional(),
});
type Fields = z.infer<typeof FieldsSchema>;

/** Message types of files, with the kind of file. */
const FILES: Readonly<Record<string, MediaKind>> = { image: "image", file: "file", audio: "audio", media: "video", video: "video" };

/**
 * Parses the content of a message by its type. Content without text and without downloadable bytes (a sticker, a place, a card, a task) becomes a note in
 * brackets, so that it gets an answer.
 */
export function parseContent(message: { readonly messageId: string; readonly type: string; readonly content: string }): ParsedContent {
  const { messageId, type } = message;
  const content = parseJson(message.content);
  if (type === "post") {
    const post = parsePost(content);
    if (post === undefined) return noteOf(type, content);
    return {
      text: post.text,
      attachments: post.media.map(({ kind, key }) => ({
        kind,
        ref: attachmentRef({ messageId, key, type: kind === "image" ? "image" : "file" }),
      })),
    };
  }
  const parsed = FieldsSchema.safeParse(content);
  if (!parsed.success) return noteOf(type, content);
  const fields = parsed.data;
  if (type === "text" && fields.text !== undefined) return { text: fields.text, attachments: [] };
  const kind = FILES[type];
  const key = type === "image" ? fields.image_key : fields.file_key;
  if (kind !== undefined && key !== undefined) return { text: "", attachments: [fileOf({ messageId, kind, key, fields })] };
  return noteOf(type, content);
}

function fileOf(file: { messageId: string; kind: MediaKind; key: string; fields: Fields }): AttachmentRef {
  const { messageId, kind, key, fields } = file;
  return {
    kind,
    ref: attachmentRef({ messageId, key, type: kind === "image" ? "image" : "file" }),
    ...(fields.file_name !== undefined && { fileName: fields.file_name }),
    // The platform records voice messages as Opus, and sends no other audio as `audio`.
    ...(kind === "audio" && { mimeType: "audio/ogg", voice: true }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}
