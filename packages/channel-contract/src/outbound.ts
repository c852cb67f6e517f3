import * as z from "zod";
import type { ChannelErrorCode, Retry } from "./channel-error.ts";
import type { Markdown, MediaKind, MessageId } from "./message.ts";

/** Bytes with a name and a kind. */
export interface Media {
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly bytes: Uint8Array;
  /** Send as a voice message where the platform has them. */
  readonly voice?: boolean;
}

/** A question with fixed answers. */
export interface Poll {
  readonly question: string;
  readonly options: readonly string[];
  readonly multiple: boolean;
  /** The platform's longest when left out. */
  readonly durationMs?: number;
}

/** A button of a card. `actionId` comes back as the event `action`. */
export interface CardButton {
  readonly actionId: string;
  readonly label: string;
  readonly value?: string;
  readonly style: "default" | "primary" | "danger";
}

/** A message with structure. What a platform cannot show is degraded to text by the gateway before it is sent. */
export interface Card {
  readonly title?: string;
  readonly body: Markdown;
  readonly fields?: readonly { readonly label: string; readonly value: string }[];
  readonly buttons?: readonly CardButton[];
}

/** One thing to send. The gateway sends only what the channel's capabilities declare, and no text over its limit. */
export type Outbound =
  | { readonly type: "text"; readonly text: Markdown; readonly replyTo?: MessageId }
  | { readonly type: "media"; readonly media: Media; readonly caption?: Markdown; readonly replyTo?: MessageId }
  | { readonly type: "edit"; readonly targetId: MessageId; readonly text: Markdown }
  | { readonly type: "delete"; readonly targetId: MessageId }
  | { readonly type: "reaction"; readonly targetId: MessageId; readonly emoji: string; readonly removed: boolean }
  | { readonly type: "poll"; readonly poll: Poll }
  | { readonly type: "card"; readonly card: Card }
  | { readonly type: "typing" };

/** What became of a send. */
export type SendReceipt =
  /** The platform took it. One logical send can become several messages. */
  | { readonly type: "accepted"; readonly messageIds: readonly MessageId[] }
  /** The platform said no, or was never reached. Nothing was shown. */
  | { readonly type: "rejected"; readonly code: ChannelErrorCode; readonly retry: Retry; readonly message?: string }
  /** The request left and no answer came: it may have been shown. */
  | { readonly type: "ambiguous"; readonly cause: string };

/** Parses a stored text part of the outbox. */
export const TextOutboundSchema: z.ZodType<Extract<Outbound, { type: "text" }>> = z.strictObject({
  type: z.literal("text"),
  text: z.string(),
  replyTo: z.string().min(1).optional(),
}) as unknown as z.ZodType<Extract<Outbound, { type: "text" }>>;
