import * as z from "zod";
import type { ChannelErrorCode, Retry } from "./channel-error.ts";
import type { Markdown, MediaKind, MessageId } from "./message.ts";

/** Bytes with a name and a kind. */
export interface Media {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Uint8Array;
  /** Send as a voice message if the platform supports it. */
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

/** A structured message. The gateway degrades what a platform cannot show to text before it is sent. */
export interface Card {
  readonly title?: string;
  readonly body: Markdown;
  readonly fields?: readonly { readonly label: string; readonly value: string }[];
  readonly buttons?: readonly CardButton[];
}

/** One message to send. The gateway sends only what the channel's capabilities declare, and no text over its limit. */
export type Outbound =
  | { readonly type: "text"; readonly text: Markdown; readonly replyTo?: MessageId }
  | { readonly type: "media"; readonly media: Media; readonly caption?: Markdown; readonly replyTo?: MessageId }
  | { readonly type: "edit"; readonly targetId: MessageId; readonly text: Markdown }
  | { readonly type: "delete"; readonly targetId: MessageId }
  | { readonly type: "reaction"; readonly targetId: MessageId; readonly emoji: string; readonly removed: boolean }
  | { readonly type: "poll"; readonly poll: Poll }
  | { readonly type: "card"; readonly card: Card }
  | { readonly type: "typing" };

/** The outcome of a send. */
export type SendReceipt =
  /** The platform accepted it. One logical send can become several messages. */
  | { readonly type: "accepted"; readonly messageIds: readonly MessageId[] }
  /** The platform refused it, or was not reached. Nothing was shown. */
  | { readonly type: "rejected"; readonly code: ChannelErrorCode; readonly retry: Retry; readonly message?: string }
  /** The request was sent and got no answer: it may have been shown. */
  | { readonly type: "ambiguous"; readonly cause: string };

/** Parses a stored text part of the outbox. */
export const TextOutboundSchema: z.ZodType<Extract<Outbound, { type: "text" }>> = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  replyTo: z.string().min(1).optional(),
}) as unknown as z.ZodType<Extract<Outbound, { type: "text" }>>;
