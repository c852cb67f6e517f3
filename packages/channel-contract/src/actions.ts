import * as z from "zod";
import type { MessageId } from "./message.ts";

/** Operations of a channel besides sending. A channel's `act` accepts exactly the declared ones. */
export type ActionName = keyof ActionTypes;

/** A message as the actions `read`, `search` and `pins-list` report it. */
export interface ActionMessage {
  readonly messageId: MessageId;
  readonly sender: string;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly text: string;
}

/** Parameters and result of each action. All of them act on the conversation of the call, its thread included, and nowhere else. */
export interface ActionTypes {
  readonly pin: { readonly parameters: { readonly messageId: MessageId }; readonly result: object };
  readonly unpin: { readonly parameters: { readonly messageId: MessageId }; readonly result: object };
  readonly "pins-list": {
    readonly parameters: { readonly limit: number };
    readonly result: { readonly messages: readonly ActionMessage[] };
  };
  /** The newest messages, those before `before` if given, oldest first. */
  readonly read: {
    readonly parameters: { readonly limit: number; readonly before?: MessageId | undefined };
    readonly result: { readonly messages: readonly ActionMessage[] };
  };
  /** Messages that contain `query`. */
  readonly search: {
    readonly parameters: { readonly query: string; readonly limit: number };
    readonly result: { readonly messages: readonly ActionMessage[] };
  };
  readonly "reactions-list": {
    readonly parameters: { readonly messageId: MessageId };
    readonly result: { readonly reactions: readonly { readonly emoji: string; readonly count: number }[] };
  };
  /** Opens a thread, at `messageId` where threads begin with a message. */
  readonly "thread-create": {
    readonly parameters: { readonly name: string; readonly messageId?: MessageId | undefined };
    readonly result: { readonly threadId: string };
  };
  readonly "thread-list": {
    readonly parameters: { readonly limit: number };
    readonly result: { readonly threads: readonly { readonly threadId: string; readonly name?: string | undefined }[] };
  };
  readonly "member-info": {
    readonly parameters: { readonly userId: string };
    readonly result: { readonly id: string; readonly name?: string | undefined; readonly roles?: readonly string[] | undefined };
  };
  readonly "channel-info": {
    readonly parameters: object;
    readonly result: { readonly id: string; readonly name?: string | undefined; readonly topic?: string | undefined };
  };
  /** Names or characters that a reaction can have. */
  readonly "emoji-list": { readonly parameters: object; readonly result: { readonly emoji: readonly string[] } };
  /** What the bot may do in the conversation, in the platform's words. */
  readonly permissions: { readonly parameters: object; readonly result: { readonly granted: readonly string[] } };
}

const messageId = z.string().min(1) as unknown as z.ZodType<MessageId>;
const limit = z.number().int().min(1).max(100).default(20);
const onMessage = z.lazy(() => z.strictObject({ messageId }));
const nothing = z.lazy(() => z.strictObject({}));
const messages = z.lazy(() =>
  z.object({
    messages: z.array(z.object({ messageId, sender: z.string(), timestampMs: z.number().nonnegative(), text: z.string() })),
  }),
);

/** The parameters that are ids of messages. */
type MessageIdKeys<Parameters> = {
  [Key in keyof Parameters]-?: NonNullable<Parameters[Key]> extends MessageId | readonly MessageId[] ? Key : never;
}[keyof Parameters];

/**
 * Schemas of the actions. The gateway parses parameters before the call and results after it; a result's unknown keys are dropped. It checks that the
 * conversation has the messages that `messageIds` names: a platform may address a message by its id alone. Each schema is created at its first parse.
 */
export const ACTIONS: {
  readonly [Name in ActionName]: {
    readonly parameters: z.ZodType<ActionTypes[Name]["parameters"]>;
    readonly messageIds: Readonly<Record<MessageIdKeys<ActionTypes[Name]["parameters"]>, true>>;
    readonly result: z.ZodType<ActionTypes[Name]["result"]>;
  };
} = {
  pin: { parameters: onMessage, messageIds: { messageId: true }, result: z.lazy(() => z.object({})) },
  unpin: { parameters: onMessage, messageIds: { messageId: true }, result: z.lazy(() => z.object({})) },
  "pins-list": { parameters: z.lazy(() => z.strictObject({ limit })), messageIds: {}, result: messages },
  read: {
    parameters: z.lazy(() => z.strictObject({ limit, before: messageId.optional() })),
    messageIds: { before: true },
    result: messages,
  },
  search: { parameters: z.lazy(() => z.strictObject({ query: z.string().min(1), limit })), messageIds: {}, result: messages },
  "reactions-list": {
    parameters: onMessage,
    messageIds: { messageId: true },
    result: z.lazy(() => z.object({ reactions: z.array(z.object({ emoji: z.string(), count: z.number().int().positive() })) })),
  },
  "thread-create": {
    parameters: z.lazy(() => z.strictObject({ name: z.string().min(1), messageId: messageId.optional() })),
    messageIds: { messageId: true },
    result: z.lazy(() => z.object({ threadId: z.string().min(1) })),
  },
  "thread-list": {
    parameters: z.lazy(() => z.strictObject({ limit })),
    messageIds: {},
    result: z.lazy(() => z.object({ threads: z.array(z.object({ threadId: z.string().min(1), name: z.string().optional() })) })),
  },
  "member-info": {
    parameters: z.lazy(() => z.strictObject({ userId: z.string().min(1) })),
    messageIds: {},
    result: z.lazy(() => z.object({ id: z.string(), name: z.string().optional(), roles: z.array(z.string()).optional() })),
  },
  "channel-info": {
    parameters: nothing,
    messageIds: {},
    result: z.lazy(() => z.object({ id: z.string(), name: z.string().optional(), topic: z.string().optional() })),
  },
  "emoji-list": { parameters: nothing, messageIds: {}, result: z.lazy(() => z.object({ emoji: z.array(z.string()) })) },
  permissions: { parameters: nothing, messageIds: {}, result: z.lazy(() => z.object({ granted: z.array(z.string()) })) },
};
