import type { ImapValue } from "./imap-command.ts";
import type { MailFolder, StoredMail } from "./mail-folder.ts";
import { fieldsOf, parseMime } from "./mime-tree.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** UIDs that match all keys; throws a TypeError for a key that this server does not know. */
export function searchFolder(folder: MailFolder, values: readonly ImapValue[]): readonly number[] {
  const keys = values.map((value) => String(value));
  const tests: ((mail: StoredMail, index: number) => boolean)[] = [];
  while (keys.length > 0) {
    const key = (keys.shift() ?? "").toUpperCase();
    const next = (): string => keys.shift() ?? "";
    if (key === "ALL") continue;
    else if (key === "UID") tests.push(inUids(folder, next()));
    else if (/^[\d:*,]+$/.test(key)) tests.push(inSequence(folder, key));
    else if (key === "SINCE") tests.push(since(next(), (mail) => mail.atMs));
    else if (key === "SENTSINCE") tests.push(since(next(), sentAt));
    else if (key === "HEADER") tests.push(inHeader(next(), next()));
    else throw new TypeError(`unknown search key ${key}`);
  }
  return folder.mails.filter((mail, index) => tests.every((matches) => matches(mail, index))).map(({ uid }) => uid);
}

/** UIDs of a set such as `4,7:*`; in `n:*` the last mail counts in any case. */
export function inUids(folder: MailFolder, set: string): (mail: StoredMail) => boolean {
  const last = folder.mails.at(-1)?.uid ?? 0;
  const ranges = rangesOf(set, last);
  return ({ uid }) => ranges.some(([from, to]) => uid >= from && uid <= to);
}

function inSequence(folder: MailFolder, set: string): (mail: StoredMail, index: number) => boolean {
  const ranges = rangesOf(set, folder.mails.length);
  return (_, index) => ranges.some(([from, to]) => index + 1 >= from && index + 1 <= to);
}

function rangesOf(set: string, last: number): readonly (readonly [number, number])[] {
  return set.split(",").map((range) => {
    const [one = 0, other = one] = range.split(":").map((end) => (end === "*" ? last : Number(end)));
    return [Math.min(one, other), Math.max(one, other)] as const;
  });
}

function since(day: string, timeOf: (mail: StoredMail) => number): (mail: StoredMail) => boolean {
  const fromMs = Date.parse(`${day.replaceAll("-", " ")} UTC`);
  return (mail) => Math.floor(timeOf(mail) / DAY_MS) * DAY_MS >= fromMs;
}

function sentAt({ source, atMs }: StoredMail): number {
  const sent = Date.parse(fieldsOf(parseMime(source).headers).get("date") ?? "");
  return Number.isFinite(sent) ? sent : atMs;
}

function inHeader(name: string, text: string): (mail: StoredMail) => boolean {
  return ({ source }) => {
    const value = fieldsOf(parseMime(source).headers).get(name.toLowerCase());
    return value !== undefined && value.toLowerCase().includes(text.toLowerCase());
  };
}
