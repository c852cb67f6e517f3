import * as z from "zod";
import type { ChannelErrorCode, Retry } from "./channel-error.ts";
import type { Markdown, MediaKind, Mention, MessageId } from "./message.ts";

/** Bytes with a name and a kind. */
export interface Media {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Uint8Array;
  /** A recording, to be shown as a voice message; set for sends only with the capability `voiceMessages`. */
  readonly voice?: boolean;
}

/** A question with fixed answers. */
export interface Poll {
  readonly question: string;
  readonly options: readonly string[];
  readonly multiple: boolean;
  /** Defaults to the platform's maximum. */
  readonly durationMs?: number;
}

/** A button of a card. `actionId` is returned in the event `action`. */
export interface CardButton {
  readonly actionId: string;
  readonly label: string;
  readonly value?: string;
  readonly style: "default" | "primary" | "danger";
}

/** An input of a form. Its value arrives under its `id` with the event `action` of the card's buttons. */
export type CardInput =
  | {
      readonly type: "text";
      readonly id: string;
      readonly label: string;
      readonly multiline?: boolean;
      readonly placeholder?: string;
      readonly initial?: string;
    }
  | {
      readonly type: "choice";
      readonly id: string;
      readonly label: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
      readonly multiple?: boolean;
    };

/** A structured message. The gateway degrades what a platform cannot show to text before it is sent. */
export interface Card {
  readonly title?: string;
  readonly body: Markdown;
  readonly fields?: readonly { readonly label: string; readonly value: string }[];
  /** Only with the capability `forms`. */
  readonly inputs?: readonly CardInput[];
  readonly buttons?: readonly CardButton[];
}

/** Who is notified of a message, and who sees it. */
export interface Audience {
  /** Without a notification; only with the capability `silent`. */
  readonly silent?: boolean;
  /** Shown to this person alone, by their `Sender.id`, in the conversation of the send; only with the capability `ephemeral`. */
  readonly onlyFor?: string;
}

/**
 * One message to send. The gateway sends only what the channel's capabilities declare, and no text over its limit. `replyTo` is a message of the conversation; a
 * platform on which a reply opens a thread ignores it, since the thread of the address decides there.
 */
export type Outbound =
  /** `mentions` are the people whose `@name` in the text is to notify them. */
  | ({ readonly type: "text"; readonly text: Markdown; readonly mentions?: readonly Mention[]; readonly replyTo?: MessageId } & Audience)
  /** `caption` only with `limits.captionLength`, and no longer. */
  | { readonly type: "media"; readonly media: Media; readonly caption?: Markdown; readonly replyTo?: MessageId; readonly silent?: boolean }
  /** Several files as one message, at most `limits.filesPerMessage`. */
  | {
      readonly type: "album";
      readonly media: readonly Media[];
      readonly caption?: Markdown;
      readonly replyTo?: MessageId;
      readonly silent?: boolean;
    }
  | { readonly type: "edit"; readonly targetId: MessageId; readonly text: Markdown }
  | { readonly type: "delete"; readonly targetId: MessageId }
  | { readonly type: "reaction"; readonly targetId: MessageId; readonly emoji: string; readonly removed: boolean }
  | { readonly type: "poll"; readonly poll: Poll }
  | ({ readonly type: "card"; readonly card: Card; readonly replyTo?: MessageId } & Audience)
  | { readonly type: "edit-card"; readonly targetId: MessageId; readonly card: Card }
  /**
   * One step of an answer that the platform shows while it grows; only with native streaming. The first step has no `targetId`, and its receipt has it. `text` is
   * the whole answer so far, and `added` the end of it that no accepted step has had. After a step that failed, the answer is sent with `edit` instead.
   */
  | {
      readonly type: "stream";
      readonly targetId?: MessageId;
      readonly text: Markdown;
      readonly added: Markdown;
      readonly isLast: boolean;
      readonly replyTo?: MessageId;
    }
  | { readonly type: "typing" };

/** The outcome of a send. */
export type SendReceipt =
  /**
   * The platform accepted it. The ids are those of the messages that it became, oldest first; of the changed message for an edit, a deletion, a reaction and a
   * further step of a stream; none for typing.
   */
  | { readonly type: "accepted"; readonly messageIds: readonly MessageId[] }
  /** The platform refused it, or was not reached. Nothing was shown. */
  | { readonly type: "rejected"; readonly code: ChannelErrorCode; readonly retry: Retry; readonly message?: string }
  /** The request was sent and got no answer: it may have been shown. */
  | { readonly type: "ambiguous"; readonly cause: string };

/** Parses a card. */
export const CardSchema: z.ZodType<Card> = z.lazy(() =>
  z.strictObject({
    title: z.string().exactOptional(),
    body: z.string(),
    fields: z.array(z.strictObject({ label: z.string(), value: z.string() })).exactOptional(),
    inputs: z
      .array(
        z.discriminatedUnion("type", [
          z.strictObject({
            type: z.literal("text"),
            id: z.string().min(1),
            label: z.string().min(1),
            multiline: z.boolean().exactOptional(),
            placeholder: z.string().exactOptional(),
            initial: z.string().exactOptional(),
          }),
          z.strictObject({
            type: z.literal("choice"),
            id: z.string().min(1),
            label: z.string().min(1),
            options: z.array(z.strictObject({ value: z.string().min(1), label: z.string().min(1) })).min(1),
            multiple: z.boolean().exactOptional(),
          }),
        ]),
      )
      .exactOptional(),
    buttons: z
      .array(
        z.strictObject({
          actionId: z.string().min(1),
          label: z.string().min(1),
          value: z.string().exactOptional(),
          style: z.enum(["default", "primary", "danger"]),
        }),
      )
      .exactOptional(),
  }),
);

/** Parses a poll. */
export const PollSchema: z.ZodType<Poll> = z.lazy(() =>
  z.strictObject({
    question: z.string().min(1),
    options: z.array(z.string().min(1)).min(2),
    multiple: z.boolean(),
    durationMs: z.number().int().positive().exactOptional(),
  }),
);
