import type { TelegramFields, TelegramUpload } from "./fields.ts";
import { asTelegramMessage } from "./message-store.ts";
import { baseOf, parsedText, shown, textOf } from "./request-parts.ts";
import type { TelegramMethod, TelegramMethodContext } from "./request-parts.ts";
import { badRequest } from "./refusal.ts";

const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_CAPTION = 1_024;
const IMAGE = /^(?:\u0089PNG|\u00ff\u00d8\u00ff|RIFF)/;

/** A method that shows one file. */
export function sendOf(kind: string): TelegramMethod["call"] {
  return (fields, context) => {
    const message = baseOf(fields, context);
    // A file is the field itself, or one that the field names.
    const upload = checked(kind, fields.upload(fields.values[kind] ?? `attach://${kind}`));
    const { text, entities } = textOf(fields, "caption");
    if (text.length > MAX_CAPTION) throw badRequest("message caption is too long");
    return shown(context, { ...message, text, entities, kind, file: stored(context, upload) });
  };
}

/** Several files as one album. */
export function sendMediaGroup(fields: TelegramFields, context: TelegramMethodContext): unknown {
  const { app, store } = context;
  const base = baseOf(fields, context);
  const items = fields.json("media") as readonly {
    readonly type: string;
    readonly media: string;
    readonly caption?: string;
    readonly parse_mode?: string;
  }[];
  if (items.length < 2 || items.length > 10) throw badRequest("group of media must contain 2-10 items");
  const types = new Set(items.map(({ type }) => (type === "video" ? "photo" : type)));
  if (types.size > 1) throw badRequest("can't mix different types of media in one album");
  const albumId = `13${store.nextId}`;
  return items
    .map(({ type, media, caption = "", parse_mode: mode }) => {
      const { text, entities } = parsedText(caption, mode);
      if (text.length > MAX_CAPTION) throw badRequest("message caption is too long");
      return { ...base, text, entities, kind: type, albumId, file: stored(context, checked(type, fields.upload(media))) };
    })
    .map((message) => asTelegramMessage(app, store, store.add(message)));
}

function checked(kind: string, upload: TelegramUpload): TelegramUpload {
  if (upload.bytes.length > MAX_UPLOAD_BYTES) throw badRequest("file is too big");
  if (kind !== "photo") return upload;
  if (upload.bytes.length > MAX_PHOTO_BYTES) throw badRequest("file is too big for a photo");
  if (!IMAGE.test(Buffer.from(upload.bytes.subarray(0, 4)).toString("latin1"))) throw badRequest("IMAGE_PROCESS_FAILED");
  return upload;
}

function stored({ store }: TelegramMethodContext, { name, bytes }: TelegramUpload): ReturnType<typeof store.addFile> {
  return store.addFile({ name, bytes, mimeType: "application/octet-stream" });
}
