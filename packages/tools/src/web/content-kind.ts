/** What can be done with an answer: read as a page, shown as it is, or only named. */
export type ContentKind = "page" | "text" | "file";

const PAGE = /^(text\/html|application\/xhtml\+xml)$/;
const TEXT =
  /^text\/|^application\/(json|xml|javascript|ecmascript|yaml|x-yaml|toml|sql|graphql|x-ndjson|ndjson|x-sh|rtf)$|\+(json|xml|yaml)$/;
/** Bytes that decide about an answer without a type. */
const HEAD_BYTES = 4_096;

/** The kind by the media type that the server names; `unknown` if it names none, or the one for any bytes. */
export function kindOfType(contentType: string): ContentKind | "unknown" {
  const type = mediaType(contentType);
  if (PAGE.test(type)) return "page";
  if (TEXT.test(type)) return "text";
  return type === "" || type === "application/octet-stream" ? "unknown" : "file";
}

/** The kind by the beginning of the bytes. */
export function kindOfBytes(bytes: Uint8Array): ContentKind {
  const head = bytes.subarray(0, HEAD_BYTES);
  if (head.includes(0)) return "file";
  return /^\s*<(!doctype html|html)[\s>]/i.test(new TextDecoder().decode(head)) ? "page" : "text";
}

/** A media type without its parameters, in lower case. */
export function mediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}
