import type { AttachmentRef, MediaKind } from "@factotum/channel-contract";
import type { ImapFlow, MessageStructureObject } from "imapflow";
import { fetchPart, MAX_TEXT_BYTES } from "../transport/fetched-mail.ts";
import type { FetchedMail } from "../transport/fetched-mail.ts";
import { renderRef } from "./attachment-ref.ts";
import { htmlText } from "./html-text.ts";

/** The texts and files of a mail. */
export interface MailBody {
  readonly text: string;
  readonly attachments: readonly AttachmentRef[];
}

/** A mail whose parts are known. */
interface StructuredMail extends Pick<FetchedMail, "uid"> {
  readonly structure: MessageStructureObject;
}

/** Files of one mail that are passed on; more are named in the text. */
const MAX_ATTACHMENTS = 50;
const CUT = "[The rest of this mail is left out: it has more than 1 MiB of text.]";

interface Parts {
  readonly plain: MessageStructureObject[];
  readonly html: MessageStructureObject[];
  readonly files: MessageStructureObject[];
}

/** Fetches the texts, and describes the files, which are fetched when they are wanted. */
export async function readBody(imap: ImapFlow, mail: StructuredMail, validity: string): Promise<MailBody> {
  const parts: Parts = { plain: [], html: [], files: [] };
  collect(mail.structure, parts);
  const isPlain = parts.plain.length > 0;
  const texts: string[] = [];
  let left = MAX_TEXT_BYTES;
  for (const part of isPlain ? parts.plain : parts.html) {
    if (left <= 0) {
      texts.push(CUT);
      break;
    }
    const text = await readText(imap, mail, part, left);
    left -= Buffer.byteLength(text);
    texts.push(isPlain ? text : await htmlText(text));
  }
  const refs = parts.files.map((part) => toRef(part, { validity, uid: mail.uid, root: mail.structure }));
  const omitted = refs.slice(MAX_ATTACHMENTS).map(({ fileName, kind }) => `[file left out: ${fileName ?? kind}]`);
  return { text: [...texts, ...omitted].join("\n\n"), attachments: refs.slice(0, MAX_ATTACHMENTS) };
}

/** Sorts the parts: of alternatives the texts, of everything else the texts that are shown and the files. */
function collect(node: MessageStructureObject, parts: Parts): void {
  const { childNodes, type, disposition } = node;
  if (type.startsWith("multipart/") || (childNodes !== undefined && type !== "message/rfc822")) {
    for (const child of childNodes ?? []) collect(child, parts);
    return;
  }
  const isFile = disposition?.toLowerCase() === "attachment" || fileNameOf(node) !== undefined;
  if (type === "text/plain" && !isFile) parts.plain.push(node);
  else if (type === "text/html" && !isFile) parts.html.push(node);
  else parts.files.push(node);
}

async function readText(imap: ImapFlow, mail: StructuredMail, part: MessageStructureObject, maxBytes: number): Promise<string> {
  const bytes = (await fetchPart(imap, mail.uid, partOf(part, mail.structure), maxBytes)) ?? Buffer.alloc(0);
  const isCut = bytes.length > maxBytes;
  const text = bytes.subarray(0, maxBytes).toString("utf8").replaceAll("\r\n", "\n");
  return isCut ? `${text}\n\n${CUT}` : text;
}

/** A mail of one part has no part number. */
function partOf(node: MessageStructureObject, root: MessageStructureObject): string {
  return node === root || node.part === undefined ? "TEXT" : node.part;
}

function toRef(
  node: MessageStructureObject,
  { root, ...place }: { readonly validity: string; readonly uid: number; readonly root: MessageStructureObject },
): AttachmentRef {
  const fileName =
    fileNameOf(node) ?? (node.type === "message/rfc822" ? `${node.envelope?.subject?.slice(0, 100) || "mail"}.eml` : undefined);
  const size =
    node.size === undefined ? undefined : node.encoding?.toLowerCase() === "base64" ? Math.floor((node.size * 3) / 4.1) : node.size;
  return {
    kind: kindOf(node.type),
    ref: renderRef({ ...place, part: partOf(node, root) }),
    mimeType: node.type,
    ...(fileName !== undefined && { fileName }),
    ...(size !== undefined && { sizeBytes: size }),
  };
}

function fileNameOf({ dispositionParameters, parameters }: MessageStructureObject): string | undefined {
  const name = dispositionParameters?.["filename"] ?? parameters?.["name"];
  const clean = name?.replaceAll(/[\p{Cc}/\\]+/gu, "_").slice(0, 200);
  return clean === "" ? undefined : clean;
}

function kindOf(type: string): MediaKind {
  const family = type.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
