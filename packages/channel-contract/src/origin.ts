import * as z from "zod";

/**
 * Where a message came from and where its reply goes. Immutable: a turn keeps it to the end, and replies are delivered nowhere else (R4), except that they
 * follow a conversation that has moved. All ids are the platform's own, unchanged.
 */
export interface Origin {
  /** Id of the channel, such as `feishu`. Lower case. */
  readonly channel: string;
  /** Key of the account in the configuration; `default` for the short form. */
  readonly accountId: string;
  /** Set by the gateway where ids are valid in this account alone, because another account can have the same ones for other people. Channels leave it out. */
  readonly idScope?: "account";
  /** Set by the gateway where several agents answer one conversation: the name of the agent that this is the address of, which its messages begin with. Channels leave it out. */
  readonly speaker?: string;
  readonly conversation: Conversation;
}

/** The platform's conversation of an origin. */
export interface Conversation {
  readonly kind: ConversationKind;
  readonly id: string;
  /** Thread or forum topic inside the conversation. */
  readonly threadId?: string;
  /** The conversation that a thread belongs to, if the platform gives threads separate ids. */
  readonly parentId?: string;
  /** Guild, team or workspace. */
  readonly spaceId?: string;
}

/** `direct`: one person and the bot; `group`: a closed group; `channel`: a room of a guild, team or workspace. */
export type ConversationKind = "direct" | "group" | "channel";

/** Parses a stored conversation. */
export const ConversationSchema: z.ZodType<Conversation> = z.lazy(() =>
  z.strictObject({
    kind: z.enum(["direct", "group", "channel"]),
    id: z.string().min(1),
    threadId: z.string().min(1).exactOptional(),
    parentId: z.string().min(1).exactOptional(),
    spaceId: z.string().min(1).exactOptional(),
  }),
);

/** Parses an origin as a channel gives it, and as the gateway stores it. */
export const OriginSchema: z.ZodType<Origin> = z.lazy(() =>
  z.strictObject({
    channel: z.string().min(1),
    accountId: z.string().min(1),
    idScope: z.literal("account").exactOptional(),
    speaker: z.string().min(1).exactOptional(),
    conversation: ConversationSchema,
  }),
);
