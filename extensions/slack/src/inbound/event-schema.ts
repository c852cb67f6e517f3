import * as z from "zod";
import { FileSchema } from "./attachment-ref.ts";
import type { SlackFileInfo } from "./attachment-ref.ts";

/** The wrapper of the Events API. */
export interface EventBody {
  readonly type: "event_callback";
  readonly event_id: string;
  /** The workspace of the event; in a shared channel it may be another one than the app's. */
  readonly team_id?: string | undefined;
  /** The installations of the app that the event is for. */
  readonly authorizations: readonly { readonly team_id?: string | null | undefined }[];
  readonly event: { readonly type: string; readonly [key: string]: unknown };
}

/** Something that a message shows besides its text: a shared message, the preview of a link, or the body of an integration's message. */
export interface SlackAttachment {
  readonly is_share?: boolean | null | undefined;
  readonly is_msg_unfurl?: boolean | null | undefined;
  readonly author_name?: string | null | undefined;
  readonly author_id?: string | null | undefined;
  readonly channel_name?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly fallback?: string | null | undefined;
  readonly ts?: string | null | undefined;
}

/** A message, as events and methods show it. */
export interface SlackMessage {
  readonly ts: string;
  readonly subtype?: string | undefined;
  readonly user?: string | null | undefined;
  readonly username?: string | null | undefined;
  readonly bot_id?: string | null | undefined;
  readonly text: string;
  readonly thread_ts?: string | undefined;
  readonly blocks: readonly unknown[];
  readonly files: readonly SlackFileInfo[];
  readonly attachments: readonly SlackAttachment[];
  readonly edited?: { readonly user?: string | undefined; readonly ts: string } | null | undefined;
  readonly metadata?: unknown;
}

/** The fields of an event with a message. */
export interface MessageEvent extends SlackMessage {
  readonly channel: string;
  readonly channel_type?: string | undefined;
}

const id = z.string().min(1);
const Timestamp = z.string().regex(/^\d{1,12}\.\d{1,9}$/);

const AttachmentSchema: z.ZodType<SlackAttachment> = z.looseObject({
  is_share: z.boolean().nullish(),
  is_msg_unfurl: z.boolean().nullish(),
  author_name: z.string().nullish(),
  author_id: z.string().nullish(),
  channel_name: z.string().nullish(),
  title: z.string().nullish(),
  text: z.string().nullish(),
  fallback: z.string().nullish(),
  ts: z.string().nullish(),
});

/** Fields that are not used may be anything; a file or an attachment that cannot be read is left out. */
const messageShape = {
  ts: Timestamp,
  subtype: z.string().optional(),
  user: z.string().nullish(),
  username: z.string().nullish(),
  bot_id: z.string().nullish(),
  text: z
    .string()
    .nullish()
    .transform((text) => text ?? ""),
  thread_ts: Timestamp.optional(),
  blocks: z
    .array(z.unknown())
    .nullish()
    .catch([])
    .transform((blocks) => blocks ?? []),
  files: z
    .array(z.unknown())
    .nullish()
    .catch([])
    .transform((files) => readable(files ?? [], FileSchema)),
  attachments: z
    .array(z.unknown())
    .nullish()
    .catch([])
    .transform((attachments) => readable(attachments ?? [], AttachmentSchema)),
  edited: z.looseObject({ user: z.string().optional(), ts: z.string() }).nullish().catch(undefined),
  metadata: z.unknown().optional(),
};

/** Parses the wrapper. */
export const EventBodySchema: z.ZodType<EventBody> = z.looseObject({
  type: z.literal("event_callback"),
  event_id: id,
  team_id: z.string().optional(),
  authorizations: z
    .array(z.looseObject({ team_id: z.string().nullish() }))
    .default([])
    .catch([]),
  event: z.looseObject({ type: z.string() }),
});

/** Parses a message of `conversations.history` and similar. */
export const MessageSchema: z.ZodType<SlackMessage> = z.looseObject(messageShape) as unknown as z.ZodType<SlackMessage>;

/** Parses the event of a message. */
export const MessageEventSchema: z.ZodType<MessageEvent> = z.looseObject({
  ...messageShape,
  channel: id,
  channel_type: z.string().optional(),
}) as unknown as z.ZodType<MessageEvent>;

function readable<T>(values: readonly unknown[], schema: z.ZodType<T>): readonly T[] {
  return values.flatMap((value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? [parsed.data] : [];
  });
}

/** Milliseconds since the epoch of a timestamp of the platform; 0 if it is not a timestamp. */
export function timestampMs(ts: string): number {
  const ms = Math.floor(Number(ts) * 1_000);
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : 0;
}
