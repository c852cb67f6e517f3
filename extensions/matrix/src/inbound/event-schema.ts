import * as z from "zod";

/** Longest id of the platform; it bounds them to 255 bytes. */
const MAX_ID_LENGTH = 255;

const id = (sigil: string): z.ZodType<string> => z.string().max(MAX_ID_LENGTH).startsWith(sigil);

/** An event of a room, as far as the channel reads it. Contents are anybody's JSON and are parsed by type. */
export interface MatrixEvent {
  readonly type: string;
  readonly event_id: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  readonly state_key?: string | undefined;
  readonly content: Readonly<Record<string, unknown>>;
  /** Of a redaction, in older rooms; newer ones have it in the content. */
  readonly redacts?: string | undefined;
  readonly unsigned?: Readonly<Record<string, unknown>> | undefined;
}

/** Parses an event of a timeline. */
export const EventSchema: z.ZodType<MatrixEvent> = z.lazy(() =>
  z.looseObject({
    type: z.string().max(MAX_ID_LENGTH),
    event_id: id("$"),
    sender: id("@"),
    origin_server_ts: z.number().int().nonnegative().catch(0),
    state_key: z.string().optional().catch(undefined),
    content: z.record(z.string(), z.unknown()).catch({}),
    redacts: id("$").optional().catch(undefined),
    unsigned: z.record(z.string(), z.unknown()).optional().catch(undefined),
  }),
);

/** A part of a room's state without an event's id, as invitations have it. */
export interface StateEvent {
  readonly type: string;
  readonly sender: string;
  readonly state_key: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Parses an event of an invitation. */
export const StateEventSchema: z.ZodType<StateEvent> = z.lazy(() =>
  z.looseObject({
    type: z.string(),
    sender: id("@"),
    state_key: z.string(),
    content: z.record(z.string(), z.unknown()).catch({}),
  }),
);

/** How an event is related to another one. */
export interface Relation {
  readonly type?: string | undefined;
  readonly eventId?: string | undefined;
  /** The emoji of a reaction. */
  readonly key?: string | undefined;
  /** The answered message. */
  readonly inReplyTo?: string | undefined;
  /** True if the answer is only for clients that know no threads. */
  readonly isFallback: boolean;
}

const RelationSchema = z.looseObject({
  rel_type: z.string().optional().catch(undefined),
  event_id: id("$").optional().catch(undefined),
  key: z.string().max(200).optional().catch(undefined),
  is_falling_back: z.boolean().optional().catch(undefined),
  "m.in_reply_to": z
    .looseObject({ event_id: id("$") })
    .optional()
    .catch(undefined),
});

/** The relation of a content; all fields are empty without one. */
export function relationOf(content: Readonly<Record<string, unknown>>): Relation {
  const parsed = RelationSchema.safeParse(content["m.relates_to"]).data;
  if (parsed === undefined) return { isFallback: false };
  return {
    type: parsed.rel_type,
    eventId: parsed.event_id,
    key: parsed.key,
    inReplyTo: parsed["m.in_reply_to"]?.event_id,
    isFallback: parsed.is_falling_back === true,
  };
}

/** The thread of an event: the event that it began with. */
export function threadOf(content: Readonly<Record<string, unknown>>): string | undefined {
  const { type, eventId } = relationOf(content);
  return type === "m.thread" ? eventId : undefined;
}

/** The content after an edit; `undefined` if it is no edit. */
export function newContentOf(content: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  if (relationOf(content).type !== "m.replace") return undefined;
  const { "m.new_content": replaced } = content;
  return typeof replaced === "object" && replaced !== null && !Array.isArray(replaced) ? (replaced as Record<string, unknown>) : undefined;
}

/** A text of a content; empty if it is not a text. */
export function textIn(content: Readonly<Record<string, unknown>>, key: string): string {
  const value = content[key];
  return typeof value === "string" ? value : "";
}

/** Names of the poll events: what clients send, and the name that was chosen for later. */
export const POLL_START: readonly string[] = ["org.matrix.msc3381.poll.start", "m.poll.start"];
export const POLL_RESPONSE: readonly string[] = ["org.matrix.msc3381.poll.response", "m.poll.response"];
