import { checkImage } from "../../media/check-image.ts";
import { CompletionRequestError } from "./completion-request-error.ts";

/** An image in the body of a request. */
export interface InlineImage {
  readonly bytes: Uint8Array;
  /** Detected from the bytes. */
  readonly mimeType: string;
}

/** Any declared type: only the bytes count. */
const DATA_URL = /^data:[^,]{0,200};base64,/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The image of a `data:` URL; `undefined` for a remote address, which is not fetched. Throws for an invalid image. */
export function readInlineImage(url: string, param: string): InlineImage | undefined {
  if (!/^data:/i.test(url)) return undefined;
  const header = DATA_URL.exec(url)?.[0];
  const text = header === undefined ? "" : url.slice(header.length).replaceAll(/\s/g, "");
  if (!BASE64.test(text)) throw refused(`${param}: give the image as data:image/png;base64,… with base64 behind the comma.`, 400, param);
  const bytes = Buffer.from(text, "base64");
  const checked = checkImage(bytes);
  if (checked.type === "image") return { bytes, mimeType: checked.mimeType };
  throw refused(`${param}: ${checked.message}.`, checked.reason === "too-large" ? 413 : 400, param);
}

function refused(message: string, status: 400 | 413, param: string): CompletionRequestError {
  return new CompletionRequestError(message, { status, param, code: status === 413 ? "image_too_large" : "invalid_image" });
}
