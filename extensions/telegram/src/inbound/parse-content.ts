import type { AttachmentRef, UntrustedNote } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import { attachmentsOf } from "./attachment-ref.ts";
import { parseText, textOf } from "./parse-text.ts";
import type { ParsedText } from "./parse-text.ts";
import type { MessageContent } from "./update-types.ts";

/** What a message shows. */
export interface ParsedContent extends ParsedText {
  readonly attachments: readonly AttachmentRef[];
  readonly untrusted: readonly UntrustedNote[];
}

/** Parses what a message shows; `undefined` for a message of a kind that shows nothing, such as a change of the group's photo. */
export function parseContent(content: MessageContent, bot: Bot): ParsedContent | undefined {
  const parsed = parseText(textOf(content), bot);
  const attachments = attachmentsOf(content);
  const described = describe(content);
  if (described === undefined && attachments.length === 0 && content.text === undefined) return undefined;
  return {
    ...parsed,
    text: [parsed.text, described?.text ?? ""].filter((text) => text !== "").join("\n\n"),
    attachments,
    untrusted: described?.note === undefined ? [] : [described.note],
  };
}

/** A text in place of what is neither text nor file. What other people may have written stands in a note. */
function describe(content: MessageContent): { readonly text: string; readonly note?: UntrustedNote } | undefined {
  const { sticker, location, venue, contact, dice, poll } = content;
  if (sticker !== undefined) return { text: sticker.emoji === undefined ? "[Sticker]" : `[Sticker ${sticker.emoji}]` };
  if (dice !== undefined) return { text: `[Dice ${dice.emoji}: ${dice.value}]` };
  if (contact !== undefined) {
    const { first_name: first, last_name: last, phone_number: phone } = contact;
    return { text: "[Contact]", note: { source: "contact", text: `${[first, last].filter(Boolean).join(" ")}, ${phone}` } };
  }
  if (poll !== undefined) {
    const options = poll.options.map(({ text }) => `- ${text}`);
    return { text: "[Poll]", note: { source: "poll", text: [poll.question, ...options].join("\n") } };
  }
  if (location === undefined) return undefined;
  const { latitude, longitude, live_period: live } = location;
  const text = `[${live === undefined ? "Location" : "Live location"}: ${latitude}, ${longitude}]`;
  return { text, ...(venue !== undefined && { note: { source: "venue", text: `${venue.title}, ${venue.address}` } }) };
}

/** A short name of a message's content, for a quote that has no text. */
export function labelOf(content: MessageContent): string {
  const { photo, document, voice, audio, video, video_note: note, animation } = content;
  const described = describe(content)?.text;
  if (described !== undefined) return described;
  if (photo !== undefined) return "[Photo]";
  if (voice !== undefined) return "[Voice message]";
  if (audio !== undefined) return "[Audio]";
  if ((video ?? note ?? animation) !== undefined) return "[Video]";
  return document === undefined ? "" : "[File]";
}
