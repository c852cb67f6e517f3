import type { AttachmentRef, MediaKind } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";
import { isMxc } from "../api/matrix-api.ts";
import { textIn } from "./event-schema.ts";

const RefSchema = z.strictObject({ mxc: z.string().refine(isMxc) });
const InfoSchema = z.looseObject({
  mimetype: z
    .string()
    .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,60}/)
    .optional()
    .catch(undefined),
  size: z.number().int().nonnegative().optional().catch(undefined),
});

const KINDS: Readonly<Record<string, MediaKind>> = { "m.image": "image", "m.audio": "audio", "m.video": "video", "m.file": "file" };
const VOICE = ["org.matrix.msc3245.voice", "m.voice"];
const MAX_NAME_LENGTH = 255;

/** The address of a reference; `undefined` if it is not one of this platform. */
export function addressOf(ref: string): string | undefined {
  return parseOwn(ref, RefSchema)?.mxc;
}

/** True for a message that is a file. */
export function isFile(content: Readonly<Record<string, unknown>>): boolean {
  return textIn(content, "msgtype") in KINDS;
}

/** The file of a content; `undefined` if it has none that can be read, as in an encrypted room. */
export function attachmentOf(content: Readonly<Record<string, unknown>>, otherwise?: MediaKind): AttachmentRef | undefined {
  const kind = KINDS[textIn(content, "msgtype")] ?? otherwise;
  const mxc = textIn(content, "url");
  if (kind === undefined || !isMxc(mxc)) return undefined;
  const { mimetype, size } = InfoSchema.safeParse(content["info"]).data ?? {};
  const fileName = (textIn(content, "filename") || textIn(content, "body")).slice(0, MAX_NAME_LENGTH).toWellFormed();
  return {
    kind,
    ref: JSON.stringify({ mxc }),
    ...(mimetype !== undefined && { mimeType: mimetype }),
    ...(fileName !== "" && { fileName }),
    ...(size !== undefined && { sizeBytes: size }),
    ...(kind === "audio" && VOICE.some((key) => key in content) && { voice: true }),
  };
}

/** True if the text of a file says more than its name. */
export function hasCaption(content: Readonly<Record<string, unknown>>): boolean {
  const [name, body] = [textIn(content, "filename"), textIn(content, "body")];
  return name !== "" && body !== "" && name !== body;
}
