import type { Media, SendReceipt } from "@factotum/channel-contract";
import { measure } from "./measure-text.ts";
import type { TextUnit } from "./measure-text.ts";
import { rejectedReceipt } from "./send-queue.ts";

/** Limits of a text. */
export interface TextBounds {
  readonly maxLength: number;
  /** Defaults to `utf16`. */
  readonly unit?: TextUnit;
  /** True for a caption, which a file does not need. */
  readonly mayBeEmpty?: boolean;
}

/** Limits of the files of one message. */
export interface FileBounds {
  /** Of each file. */
  readonly maxBytes: number;
  /** Defaults to 1. */
  readonly maxFiles?: number;
}

type Rejection = SendReceipt & { readonly type: "rejected" };

const MIB = 1024 * 1024;

/** Why a text cannot be sent, for good: it is blank or too long. `undefined` if it can. */
export function textProblem(text: string, { maxLength, unit = "utf16", mayBeEmpty = false }: TextBounds): Rejection | undefined {
  if (!mayBeEmpty && text.trim() === "") return rejectedReceipt("rejected", "the text is empty");
  if (measure(text, unit) <= maxLength) return undefined;
  return rejectedReceipt("too-long", `the text has more than ${maxLength} ${unit === "bytes" ? "bytes" : "characters"}`);
}

/** Why files cannot be sent as one message, for good: there are none or too many, or one is empty or too large. `undefined` if they can. */
export function filesProblem(files: readonly Pick<Media, "bytes">[], { maxBytes, maxFiles = 1 }: FileBounds): Rejection | undefined {
  if (files.length === 0 || files.some(({ bytes }) => bytes.length === 0)) return rejectedReceipt("rejected", "the file is empty");
  if (files.length > maxFiles) return rejectedReceipt("too-long", `more than ${maxFiles} files`);
  if (files.every(({ bytes }) => bytes.length <= maxBytes)) return undefined;
  const size = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`;
  return rejectedReceipt("too-long", `the file has more than ${size}, and the platform takes no more`);
}
