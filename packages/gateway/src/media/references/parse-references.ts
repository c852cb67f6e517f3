import { fileURLToPath } from "node:url";
import { parseMediaReference } from "../store/media-store.ts";

/** An image mentioned in a text. */
export type ImageReference =
  | { readonly type: "path"; readonly path: string }
  /** A file that was received in this conversation. */
  | { readonly type: "media"; readonly id: string };

const IMAGE_NAME = String.raw`\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|heif|avif)`;
/** Characters that cannot precede a path: it would be inside an address, a name or another path. */
const START = String.raw`(?<![\w/\\.:~@%+=&?#-])`;
/** The longest path that is considered; it also bounds the search. */
const MAX_PATH_CHARS = 1_024;

const PATTERNS: readonly RegExp[] = [
  // [Image: source: ./a b.png], [media attached 1/2: media://inbound/… (image/png)]
  /\[Image:\s{0,8}source:\s{0,8}(?<path>[^\]\n]{1,1024})\]/giu,
  /\[media attached(?:\s\d{1,4}\/\d{1,4})?:\s{0,8}(?<path>[^\]\n]{1,2048})\]/giu,
  new RegExp(`(?<quote>["'\`])(?<path>(?:\\.{1,2}/|~/|file:///|media://inbound/)[^"'\`\\n]{1,${MAX_PATH_CHARS}})\\k<quote>`, "giu"),
  new RegExp(`${START}(?<path>file:///[^\\s"'\`<>()\\[\\]]{1,${MAX_PATH_CHARS}}?${IMAGE_NAME})(?![\\w/]|\\.\\w)`, "giu"),
  new RegExp(`${START}(?<path>(?:\\.{1,2}/|~/)[^\\s"'\`<>()\\[\\]]{1,${MAX_PATH_CHARS}}?${IMAGE_NAME})(?![\\w/]|\\.\\w)`, "giu"),
  new RegExp(`${START}(?<path>media://inbound/[0-9a-f]{32})(?![\\w/])`, "gu"),
];
const ENDS_LIKE_IMAGE = new RegExp(`${IMAGE_NAME}$`, "iu");

/**
 * The images that a text of the owner names, in order, each once. Never a network address: no `http(s)`, no `//server/share`, no `\\server\share`. Pure; linear
 * in the text's length.
 */
export function parseReferences(text: string): readonly ImageReference[] {
  const found = PATTERNS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => ({ index: match.index, text: withoutDetails(match.groups?.["path"] ?? "") })),
  );
  const references = new Map<string, ImageReference>();
  for (const { text: named } of found.toSorted((one, other) => one.index - other.index)) {
    const reference = toReference(named);
    if (reference !== undefined) references.set(JSON.stringify(reference), reference);
  }
  return [...references.values()];
}

/** In a media note, the type follows the path. */
function withoutDetails(named: string): string {
  const details = named.indexOf(" (image/");
  return (details === -1 ? named : named.slice(0, details)).trim();
}

function toReference(named: string): ImageReference | undefined {
  const id = parseMediaReference(named);
  if (id !== undefined) return { type: "media", id };
  const path = /^file:/iu.test(named) ? pathOfUrl(named) : named;
  if (path === undefined || !isLocal(path) || !ENDS_LIKE_IMAGE.test(path)) return undefined;
  return { type: "path", path };
}

/** The path in a local `file:` address. */
function pathOfUrl(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.hostname === "" ? fileURLToPath(url, { windows: false }) : undefined;
  } catch (error) {
    // Not an address, one with an escaped separator, or an invalid escape.
    if (error instanceof TypeError || error instanceof URIError) return undefined;
    throw error;
  }
}

function isLocal(path: string): boolean {
  return !/^(?:[\\/]{2}|[a-z][a-z0-9+.-]+:)/iu.test(path) && !path.includes("\0") && !path.includes("\\\\");
}
