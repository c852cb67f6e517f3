import * as z from "zod";

/** Who caused an event. `self` marks the assistant's own messages. */
interface ServiceSender {
  readonly id: string;
  readonly name?: string | undefined;
  readonly bot: boolean;
  readonly self: boolean;
}

/** Keys of every event. */
interface EventBase {
  /** Milliseconds since the epoch; by default the time of the signature. */
  readonly timestampMs?: number | undefined;
  readonly conversation: {
    readonly id: string;
    readonly kind: "direct" | "group" | "channel";
    readonly thread?: string | undefined;
    readonly name?: string | undefined;
    readonly topic?: string | undefined;
  };
  readonly sender: ServiceSender;
}

/** Somebody who is named. */
export interface ServicePerson {
  readonly id?: string | undefined;
  readonly name: string;
}

/** A file, which is fetched from the service later. */
export interface ServiceAttachment {
  readonly url: string;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly sizeBytes?: number | undefined;
  readonly voice: boolean;
}

/** A message as the service posts it. */
export interface ServiceMessageEvent extends EventBase {
  readonly type: "message";
  readonly id: string;
  readonly text: string;
  /** In a group: whether the assistant is addressed. */
  readonly mentionsBot: boolean;
  readonly mentions: readonly ServicePerson[];
  readonly replyTo?:
    | {
        readonly id?: string | undefined;
        readonly text: string;
        readonly sender?: (ServicePerson & { readonly self: boolean }) | undefined;
      }
    | undefined;
  readonly attachments: readonly ServiceAttachment[];
}

/** An event as the service posts it. */
export type ServiceEvent =
  | ServiceMessageEvent
  | (EventBase & { readonly type: "edit"; readonly targetId: string; readonly text: string })
  | (EventBase & { readonly type: "delete"; readonly targetId: string })
  | (EventBase & { readonly type: "reaction"; readonly targetId: string; readonly emoji: string; readonly removed: boolean });

/** Keys that are not named are dropped: a service may add its own. */
const ServiceEventSchema: z.ZodType<ServiceEvent> = z.lazy(() => {
  const id = z.string().min(1).max(512);
  const person = z.object({ id: id.optional(), name: z.string().min(1) });
  const base = {
    timestampMs: z.int().nonnegative().optional(),
    conversation: z.object({
      id,
      kind: z.enum(["direct", "group", "channel"]),
      thread: id.optional(),
      name: z.string().optional(),
      topic: z.string().optional(),
    }),
    sender: z.object({ id, name: z.string().optional(), bot: z.boolean().default(false), self: z.boolean().default(false) }),
  };
  const attachment = z.object({
    url: z.url().max(4_096),
    name: z.string().optional(),
    mimeType: z.string().optional(),
    sizeBytes: z.int().nonnegative().optional(),
    voice: z.boolean().default(false),
  });
  const message = z.object({
    type: z.literal("message"),
    id,
    ...base,
    text: z.string().default(""),
    mentionsBot: z.boolean().default(false),
    mentions: z.array(person).max(100).default([]),
    replyTo: z
      .object({
        id: id.optional(),
        text: z.string().default(""),
        sender: person.extend({ self: z.boolean().default(false) }).optional(),
      })
      .optional(),
    attachments: z.array(attachment).max(32).default([]),
  });
  return z.discriminatedUnion("type", [
    message,
    z.object({ type: z.literal("edit"), targetId: id, ...base, text: z.string() }),
    z.object({ type: z.literal("delete"), targetId: id, ...base }),
    z.object({
      type: z.literal("reaction"),
      targetId: id,
      ...base,
      emoji: z.string().min(1).max(64),
      removed: z.boolean().default(false),
    }),
  ]);
});

const TYPES: ReadonlySet<string> = new Set<ServiceEvent["type"]>(["message", "edit", "delete", "reaction"]);

/** A parsed request body. */
export type ReadEvent =
  | { readonly type: "event"; readonly event: ServiceEvent }
  /** Of a type that this channel does not know. */
  | { readonly type: "other" }
  /** `reason` names the key. */
  | { readonly type: "malformed"; readonly reason: string };

/** Parses a request body. Total. */
export function readEvent(payload: unknown): ReadEvent {
  const parsed = ServiceEventSchema.safeParse(payload);
  if (parsed.success) return { type: "event", event: parsed.data };
  const type = typeof payload === "object" && payload !== null && "type" in payload ? payload.type : undefined;
  if (typeof type === "string" && !TYPES.has(type)) return { type: "other" };
  if (payload === undefined) return { type: "malformed", reason: "the body is not JSON" };
  const [issue] = parsed.error.issues;
  return { type: "malformed", reason: `this is no event: ${issue?.path.join(".") || "body"}: ${issue?.message ?? "invalid"}` };
}
