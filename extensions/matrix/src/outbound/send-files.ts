import type { CallOptions, Media, MessageId, Origin } from "@factotum/channel-contract";
import { sniffMedia } from "@factotum/channel-kit";
import type { MatrixApi } from "../api/matrix-api.ts";
import { toChannelError } from "../errors.ts";
import type { MessageApi } from "./message-api.ts";
import { relationTo, textContent } from "./message-content.ts";
import type { RenderedText } from "./render-text.ts";

const TYPES: Readonly<Record<Media["kind"], string>> = { image: "m.image", audio: "m.audio", video: "m.video", file: "m.file" };

/** Uploads one file and sends it. What is not of its kind, so that clients could not show it, is sent as a plain file. */
export async function sendFile(
  { api, messages }: { readonly api: MatrixApi; readonly messages: MessageApi },
  file: {
    readonly target: Origin;
    readonly media: Media;
    readonly caption: RenderedText | undefined;
    readonly replyTo?: string | undefined;
    readonly transaction: string;
  },
  options: CallOptions,
): Promise<MessageId> {
  const { target, media, caption, replyTo, transaction } = file;
  const { kind, mimeType, extension } = await sniffMedia(media.bytes);
  const isShown = kind === media.kind && kind !== "file";
  const type = isShown ? mimeType : media.mimeType;
  const name = media.fileName?.split(/[/\\]/).at(-1) || `${media.kind}.${extension}`;
  // An upload shows nothing, whatever its outcome.
  const url = await api.upload({ bytes: media.bytes, name, mimeType: type }, options).catch((error: unknown) => {
    throw toChannelError(error);
  });
  const isVoice = media.voice === true && isShown && kind === "audio";
  const content = {
    ...(caption === undefined ? { body: name, "m.mentions": {} } : textContent(caption)),
    msgtype: isShown ? TYPES[kind] : TYPES.file,
    filename: name,
    url,
    info: { mimetype: type, size: media.bytes.length },
    ...(isVoice && { "org.matrix.msc3245.voice": {}, "org.matrix.msc1767.audio": {} }),
    ...relationTo(target, replyTo),
  };
  return messages.send({ roomId: target.conversation.id, type: "m.room.message", content, transaction }, options);
}
