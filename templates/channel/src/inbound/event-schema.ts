import * as z from "zod";

/** A message as the platform posts it. */
export interface SampleChatMessageEvent {
  readonly event_id: string;
  readonly bot_id: string;
  readonly sent_at_ms: number;
  readonly message: {
    readonly id: string;
    readonly chat: { readonly id: string; readonly kind: "direct" | "group" };
    readonly sender: { readonly id: string; readonly name?: string | undefined; readonly is_bot: boolean };
    readonly text: string;
    readonly mentions: readonly { readonly id: string; readonly name: string }[];
    readonly reply_to?: string | undefined;
  };
}

/** Keys that are not named are of no use here and are dropped. */
const MessageEvent: z.ZodType<SampleChatMessageEvent> = z.object({
  type: z.literal("message"),
  event_id: z.string().min(1),
  bot_id: z.string().min(1),
  sent_at_ms: z.int().nonnegative(),
  message: z.object({
    id: z.string().min(1),
    chat: z.object({ id: z.string().min(1), kind: z.enum(["direct", "group"]) }),
    sender: z.object({ id: z.string().min(1), name: z.string().optional(), is_bot: z.boolean() }),
    text: z.string(),
    mentions: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
    reply_to: z.string().min(1).optional(),
  }),
});

/** Any other event: known by its type alone. */
const OtherEvent = z.object({ type: z.string(), bot_id: z.string().min(1) });

/** A parsed request body. */
export type SampleChatEvent =
  | { readonly type: "message"; readonly botId: string; readonly event: SampleChatMessageEvent }
  | { readonly type: "other"; readonly botId: string }
  | { readonly type: "malformed" };

/** Parses a request body. Total: an invalid one is `malformed`. */
export function readEvent(payload: unknown): SampleChatEvent {
  const message = MessageEvent.safeParse(payload);
  if (message.success) return { type: "message", botId: message.data.bot_id, event: message.data };
  const other = OtherEvent.safeParse(payload);
  if (other.success && other.data.type !== "message") return { type: "other", botId: other.data.bot_id };
  return { type: "malformed" };
}
