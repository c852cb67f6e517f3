import * as z from "zod";

/** The wrapper of schema 2.0 around every event. */
export interface Envelope {
  /** `create_time`: milliseconds since the epoch, 0 if it cannot be parsed. */
  readonly header: { readonly event_id: string; readonly event_type: string; readonly app_id: string; readonly create_time: number };
  readonly event?: unknown;
}

/** A person or an app that a message names. */
export interface Mention {
  readonly key: string;
  readonly name: string;
  readonly id?: { readonly open_id?: string | null | undefined } | null | undefined;
}

/** `im.message.receive_v1`. */
export interface MessageEvent {
  readonly sender: {
    readonly sender_id?: { readonly open_id?: string | null | undefined } | null | undefined;
    readonly sender_type: string;
  };
  readonly message: {
    readonly message_id: string;
    readonly root_id?: string | undefined;
    readonly parent_id?: string | undefined;
    readonly thread_id?: string | undefined;
    /** Milliseconds since the epoch; 0 when the platform names no time that can be read. */
    readonly create_time: number;
    readonly chat_id: string;
    readonly chat_type: string;
    readonly message_type: string;
    /** JSON in a string. */
    readonly content: string;
    readonly mentions?: readonly Mention[] | null | undefined;
  };
}

const id = z.string().min(1);
/** As milliseconds the year 33658. */
const MICROSECONDS_FROM = 1e15;
const optionalId = z.string().nullish();

/**
 * Accepts a message with any time: the platform sends digits, and losing a message because of its format would be worse than an unknown time. Events name
 * milliseconds, callbacks of cards microseconds.
 */
const TimeSchema = z
  .union([
    z
      .string()
      .regex(/^\d{1,16}$/)
      .transform(Number),
    z.number().int().nonnegative(),
  ])
  .transform((time) => (time < MICROSECONDS_FROM ? time : Math.floor(time / 1_000)))
  .catch(0);

/** Parses the wrapper; other schemas do not fit. */
export const EnvelopeSchema: z.ZodType<Envelope> = z.looseObject({
  schema: z.literal("2.0"),
  header: z.looseObject({ event_id: id, event_type: z.string(), app_id: z.string(), create_time: TimeSchema }),
  event: z.unknown(),
});

/** Parses an invalid wrapper that must belong to a message. */
export const MessageWrapperSchema: z.ZodType = z.looseObject({
  schema: z.literal("2.0"),
  header: z.looseObject({ event_type: z.literal("im.message.receive_v1") }),
});

/** Parses the event; fields that are not used may be anything. */
export const MessageEventSchema: z.ZodType<MessageEvent> = z.looseObject({
  sender: z.looseObject({
    sender_id: z.looseObject({ open_id: optionalId }).nullish(),
    sender_type: z.string(),
  }),
  message: z.looseObject({
    message_id: id,
    root_id: z.string().optional(),
    parent_id: z.string().optional(),
    thread_id: z.string().optional(),
    create_time: TimeSchema,
    chat_id: id,
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string(),
    mentions: z
      .array(z.looseObject({ key: z.string(), name: z.string().default(""), id: z.looseObject({ open_id: optionalId }).nullish() }))
      .nullish(),
  }),
});
