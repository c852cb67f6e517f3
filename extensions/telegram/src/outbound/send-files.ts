import type { CallOptions, Media, MessageId } from "@factotum/channel-contract";
import { sniffMedia } from "@factotum/channel-kit";
import type { SniffedMedia } from "@factotum/channel-kit";
import { FILE_TIMEOUT_MS } from "../api/telegram-api.ts";
import type { TelegramApi } from "../api/telegram-api.ts";
import { MAX_PHOTO_BYTES } from "../capabilities.ts";
import { isRefusal } from "../errors.ts";
import { callWithHtml, sentId, sentIds } from "./message-api.ts";
import type { Place } from "./message-api.ts";

/** How the platform shows a file. */
type ShownAs = "photo" | "animation" | "video" | "audio" | "voice" | "document";

const METHODS: Readonly<Record<ShownAs, string>> = {
  photo: "sendPhoto",
  animation: "sendAnimation",
  video: "sendVideo",
  audio: "sendAudio",
  voice: "sendVoice",
  document: "sendDocument",
};
/** What the platform plays or shows; others are files to download. */
const NATIVE: Readonly<Record<string, ShownAs>> = {
  "image/jpeg": "photo",
  "image/png": "photo",
  "image/webp": "photo",
  "image/gif": "animation",
  "video/mp4": "video",
  "audio/mpeg": "audio",
  "audio/mp4": "audio",
  "audio/x-m4a": "audio",
};
const VOICE = ["audio/ogg", "audio/opus", "audio/mpeg", "audio/mp4", "audio/x-m4a"];

interface FileToSend {
  readonly as: ShownAs;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Sends one file. An image that the platform cannot process is sent as a plain file: the refused request has shown nothing. */
export async function sendFile(
  api: TelegramApi,
  message: { readonly place: Place; readonly media: Media; readonly caption: string },
  options: CallOptions,
): Promise<MessageId> {
  const { place, media, caption } = message;
  const file = await fileOf(media, 0);
  const send = async (as: ShownAs): Promise<MessageId> => {
    const parameters = { ...place, [as]: await api.file(file.bytes, file.name), ...(caption !== "" && { caption }) };
    return sentId(await callWithHtml(api, METHODS[as], parameters, { ...options, timeoutMs: FILE_TIMEOUT_MS }));
  };
  try {
    return await send(file.as);
  } catch (error) {
    if (file.as === "document" || !isRefusal(error, /photo_\w+|image_process_failed|wrong type|voice_messages_forbidden|wrong file/))
      throw error;
    return send("document");
  }
}

/** Sends several files as one album. Photos and videos can stand side by side; otherwise all are plain files. */
export async function sendAlbum(
  api: TelegramApi,
  message: { readonly place: Place; readonly media: readonly Media[]; readonly caption: string },
  options: CallOptions,
): Promise<readonly MessageId[]> {
  const { place, media, caption } = message;
  const files = await Promise.all(media.map(fileOf));
  const isOf = (...kinds: readonly ShownAs[]): boolean => files.every(({ as }) => kinds.includes(as));
  const mayMix = isOf("photo", "video") || isOf("audio");
  const send = async (asDocuments: boolean): Promise<readonly MessageId[]> => {
    const items = await Promise.all(
      files.map(async ({ as, name, bytes }, index) => {
        const type = asDocuments ? "document" : as;
        const isCaptioned = caption !== "" && index === (type === "document" ? files.length - 1 : 0);
        return { type, media: await api.file(bytes, name), ...(isCaptioned && { caption, parse_mode: "HTML" }) };
      }),
    );
    return sentIds(await api.call("sendMediaGroup", { ...place, media: items }, { ...options, timeoutMs: FILE_TIMEOUT_MS }));
  };
  try {
    return await send(!mayMix);
  } catch (error) {
    if (!mayMix || !isRefusal(error, /photo_\w+|image_process_failed|wrong type|wrong file/)) throw error;
    return send(true);
  }
}

async function fileOf({ kind, bytes, fileName, voice }: Media, index: number): Promise<FileToSend> {
  const sniffed = await sniffMedia(bytes);
  const name = fileName?.split(/[/\\]/).at(-1) || `${kind}-${index + 1}.${sniffed.extension}`;
  return { as: shownAs(sniffed, { kind, voice: voice === true, size: bytes.length }), name, bytes };
}

function shownAs(
  { kind: found, mimeType }: SniffedMedia,
  { kind, voice, size }: { readonly kind: Media["kind"]; readonly voice: boolean; readonly size: number },
): ShownAs {
  if (voice && VOICE.includes(mimeType)) return "voice";
  if (found !== kind) return "document";
  const as = NATIVE[mimeType] ?? "document";
  return as === "photo" && size > MAX_PHOTO_BYTES ? "document" : as;
}
