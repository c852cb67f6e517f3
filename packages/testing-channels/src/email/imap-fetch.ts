import type { StoredMail } from "./mail-folder.ts";
import { findPart, parseMime, renderStructure } from "./mime-tree.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The items of one mail, as they stand in the response; `undefined` if one of them is unknown. UID is always there. */
export function fetchItems(mail: StoredMail, wanted: readonly string[]): Buffer | undefined {
  const parts: Buffer[] = [Buffer.from(`UID ${mail.uid}`)];
  for (const item of wanted) {
    const part = item.toUpperCase() === "UID" ? undefined : fetchItem(mail, item);
    if (part === undefined && item.toUpperCase() !== "UID") return undefined;
    if (part !== undefined) parts.push(Buffer.from(" "), part);
  }
  return Buffer.concat(parts);
}

function fetchItem(mail: StoredMail, item: string): Buffer | undefined {
  switch (item.toUpperCase()) {
    case "FLAGS":
      return Buffer.from(`FLAGS (${[...mail.flags].join(" ")})`);
    case "RFC822.SIZE":
      return Buffer.from(`RFC822.SIZE ${mail.source.length}`);
    case "INTERNALDATE":
      return Buffer.from(`INTERNALDATE "${renderDate(mail.atMs)}"`);
    case "BODYSTRUCTURE":
      return Buffer.from(`BODYSTRUCTURE ${renderStructure(parseMime(mail.source))}`);
    default:
      return fetchSection(mail, item);
  }
}

function fetchSection(mail: StoredMail, item: string): Buffer | undefined {
  const [, peek, section = "", start, length] = /^BODY(\.PEEK)?\[([^\]]*)\](?:<(\d+)\.(\d+)>)?$/i.exec(item) ?? [];
  if (!/^BODY/i.test(item)) return undefined;
  // Without PEEK it would be marked as read.
  if (peek === undefined) mail.flags.add("\\Seen");
  const whole = sectionOf(mail.source, section.toUpperCase());
  if (whole === null) return undefined;
  const origin = start === undefined ? "" : `<${start}>`;
  const name = `BODY[${section.toUpperCase()}]${origin}`;
  if (whole === undefined) return Buffer.from(`${name} NIL`);
  const bytes = start === undefined ? whole : whole.subarray(Number(start), Number(start) + Number(length));
  return Buffer.concat([Buffer.from(`${name} {${bytes.length}}\r\n`), bytes]);
}

/** `null` for a section that no server knows, `undefined` for a part that this mail does not have. */
function sectionOf(source: Buffer, section: string): Buffer | null | undefined {
  if (section === "") return source;
  const root = parseMime(source);
  if (section === "HEADER") return root.headers;
  if (section === "TEXT") return root.body;
  const [, number, kind] = /^(\d+(?:\.\d+)*)(?:\.(MIME))?$/.exec(section) ?? [];
  if (number === undefined) return null;
  const part = findPart(root, number);
  return kind === "MIME" ? part?.headers : part?.body;
}

function renderDate(atMs: number): string {
  const date = new Date(atMs);
  const two = (count: number): string => String(count).padStart(2, "0");
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(":");
  return `${two(date.getUTCDate())}-${MONTHS[date.getUTCMonth()] ?? ""}-${date.getUTCFullYear()} ${time} +0000`;
}
