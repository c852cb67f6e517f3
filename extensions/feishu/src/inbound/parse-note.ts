import type { UntrustedNote } from "@factotum/channel-contract";
import * as z from "zod";
import { parsePost } from "./parse-post.ts";

/** A note in brackets in place of content that has neither text nor bytes. */
interface Note {
  readonly text: string;
  readonly attachments: readonly [];
  readonly untrusted?: readonly UntrustedNote[];
}

/** What is shown of a type: its name, details that cannot be read as text, and the texts of other people. */
interface NoteKind {
  readonly name: string;
  readonly details?: (content: Readonly<Record<string, unknown>>) => readonly string[];
  readonly quoted?: (content: Readonly<Record<string, unknown>>) => string;
}

const MAX_QUOTED_CHARS = 4_000;
const EVENT: Omit<NoteKind, "name"> = {
  details: ({ start_time: start, end_time: end }) => [timeOf(start), timeOf(end)].filter((time) => time !== ""),
  quoted: ({ summary }) => textOf(summary),
};

const KINDS: Readonly<Record<string, NoteKind | undefined>> = {
  location: {
    name: "location",
    details: ({ latitude, longitude }) => (isNumeric(latitude) && isNumeric(longitude) ? [`${latitude}`, `${longitude}`] : []),
    quoted: ({ name }) => textOf(name),
  },
  folder: { name: "folder", quoted: ({ file_name: name }) => textOf(name) },
  share_chat: { name: "shared chat", details: ({ chat_id: id }) => idOf(id, "oc_") },
  share_user: { name: "shared contact", details: ({ user_id: id }) => idOf(id, "ou_") },
  share_calendar_event: { name: "shared calendar event", ...EVENT },
  calendar: { name: "calendar invitation", ...EVENT },
  general_calendar: { name: "calendar event", ...EVENT },
  video_chat: {
    name: "video call",
    details: ({ start_time: start }) => [timeOf(start)].filter((time) => time !== ""),
    quoted: ({ topic }) => textOf(topic),
  },
  todo: {
    name: "task",
    details: ({ due_time: due }) => (timeOf(due) === "" ? [] : [`due ${timeOf(due)}`]),
    quoted: ({ summary }) => parsePost(summary)?.text ?? textOf(summary),
  },
  vote: {
    name: "poll",
    quoted: ({ topic, options }) =>
      [textOf(topic), ...(Array.isArray(options) ? options.map((option) => `- ${textOf(option)}`) : [])].join("\n"),
  },
  interactive: { name: "card", quoted: cardText },
  hongbao: { name: "red packet" },
  merge_forward: { name: "forwarded messages" },
  sticker: { name: "sticker" },
  system: { name: "system message" },
};

/** The note of a `merge_forward`, whose messages are fetched. */
export const FORWARDED_NOTE = "[forwarded messages]";

/** The note for content of a type. Texts that somebody else wrote are untrusted. */
export function noteOf(type: string, content: unknown): Note {
  const kind = KINDS[type] ?? { name: type.replaceAll("_", " ") };
  const fields = RecordSchema.safeParse(content).data ?? {};
  const details = kind.details?.(fields) ?? [];
  const quoted = kind.quoted?.(fields).trim() ?? "";
  const text = quoted.length <= MAX_QUOTED_CHARS ? quoted : `${quoted.slice(0, MAX_QUOTED_CHARS).toWellFormed()}…`;
  return {
    text: `[${[kind.name, ...(details.length === 0 ? [] : [details.join(", ")])].join(": ")}]`,
    attachments: [],
    ...(text !== "" && { untrusted: [{ source: `text of the ${kind.name}`, text }] }),
  };
}

const RecordSchema = z.record(z.string(), z.unknown());
const CardSchema = z.looseObject({ title: z.string().nullish(), elements: z.array(z.array(z.unknown())).catch([]) });
const CardElementSchema = z.looseObject({ text: z.string().optional() });

/** The readable text of a card, in the simplified form that the platform shows to other apps. */
function cardText(content: Readonly<Record<string, unknown>>): string {
  const { title, elements } = CardSchema.parse({ ...content, title: textOf(content["title"]) });
  const lines = elements.map((line) => line.map((element) => CardElementSchema.safeParse(element).data?.text ?? "").join(""));
  return [title ?? "", ...lines].filter((line) => line.trim() !== "").join("\n");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isNumeric(value: unknown): value is string | number {
  return typeof value === "number" || (typeof value === "string" && /^-?\d{1,3}(?:\.\d{1,20})?$/.test(value));
}

function idOf(value: unknown, prefix: string): readonly string[] {
  return typeof value === "string" && value.startsWith(prefix) && /^\w{1,100}$/.test(value) ? [value] : [];
}

/** A time in milliseconds, to the minute in UTC; empty if there is none. */
function timeOf(value: unknown): string {
  const timeMs = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  const time = new Date(timeMs);
  return timeMs > 0 && !Number.isNaN(time.getTime()) ? `${time.toISOString().slice(0, 16).replace("T", " ")} UTC` : "";
}
