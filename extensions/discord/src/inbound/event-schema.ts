import * as z from "zod";
import type {
  DeletedMessages,
  DiscordContent,
  DiscordInteraction,
  DiscordMember,
  DiscordMessage,
  DiscordReaction,
  DiscordUser,
  DiscordVote,
} from "./platform-types.ts";

const id = z.string().regex(/^\d{1,20}$/);

export const UserSchema: z.ZodType<DiscordUser> = z.looseObject({
  id,
  username: z.string().default(""),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});

export const MemberSchema: z.ZodType<DiscordMember> = z.looseObject({
  nick: z.string().nullish(),
  roles: z.array(z.string()).optional(),
  user: UserSchema.optional(),
});

const content = {
  content: z.string().default(""),
  attachments: z
    .array(
      z.looseObject({
        id,
        filename: z.string().default(""),
        title: z.string().nullish(),
        size: z.number().nonnegative().optional(),
        url: z.string().optional(),
        content_type: z.string().nullish(),
        waveform: z.string().nullish(),
      }),
    )
    .default([]),
  embeds: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        title: z.string().nullish(),
        description: z.string().nullish(),
        fields: z.array(z.looseObject({ name: z.string(), value: z.string() })).optional(),
      }),
    )
    .default([]),
  sticker_items: z.array(z.looseObject({ name: z.string() })).optional(),
  mentions: z
    .array(
      z.looseObject({
        id,
        username: z.string().default(""),
        global_name: z.string().nullish(),
        bot: z.boolean().optional(),
        member: MemberSchema.optional(),
      }),
    )
    .default([]),
  mention_roles: z.array(z.string()).default([]),
};

const ContentSchema: z.ZodType<DiscordContent> = z.looseObject(content);

/** A message, complete. */
export const MessageSchema: z.ZodType<DiscordMessage> = z.lazy(() =>
  z.looseObject({
    ...content,
    id,
    channel_id: id,
    guild_id: id.optional(),
    type: z.number().int().default(0),
    author: UserSchema,
    member: MemberSchema.optional(),
    timestamp: z.string(),
    edited_timestamp: z.string().nullish(),
    webhook_id: z.string().optional(),
    message_reference: z
      .looseObject({ type: z.number().optional(), message_id: z.string().optional(), channel_id: z.string().optional() })
      .optional(),
    referenced_message: MessageSchema.nullish().catch(undefined),
    message_snapshots: z.array(z.looseObject({ message: ContentSchema })).optional(),
    poll: z
      .looseObject({
        question: z.looseObject({ text: z.string().optional() }),
        answers: z.array(z.looseObject({ poll_media: z.looseObject({ text: z.string().optional() }) })),
      })
      .optional(),
  }),
) as z.ZodType<DiscordMessage>;

const place = { channel_id: id, guild_id: id.optional() };

/** One deleted message or several. */
export const DeleteSchema: z.ZodType<DeletedMessages> = z.union([
  z.looseObject({ ...place, ids: z.array(id) }),
  z.looseObject({ ...place, id }).transform(({ id: one, ...rest }) => ({ ...rest, ids: [one] })),
]);

export const ReactionSchema: z.ZodType<DiscordReaction> = z.looseObject({
  ...place,
  user_id: id,
  message_id: id,
  member: MemberSchema.optional(),
  message_author_id: z.string().optional(),
  emoji: z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }),
});

export const VoteSchema: z.ZodType<DiscordVote> = z.looseObject({ ...place, user_id: id, message_id: id, answer_id: z.number().int() });

/** What names a channel that has changed. */
/** A change of a message that a person has made. */
export const EditedSchema: z.ZodType<{ readonly edited_timestamp: string }> = z.looseObject({ edited_timestamp: z.string().min(1) });

export const ChangedChannelSchema: z.ZodType<{ readonly id: string }> = z.looseObject({ id });

export const InteractionSchema: z.ZodType<DiscordInteraction> = z.looseObject({
  id,
  application_id: z.string(),
  type: z.number().int(),
  token: z.string().min(1),
  guild_id: id.optional(),
  channel_id: id.optional(),
  channel: z.looseObject({ id, type: z.number().int(), parent_id: z.string().nullish() }).optional(),
  member: z.looseObject({ nick: z.string().nullish(), roles: z.array(z.string()).optional(), user: UserSchema }).optional(),
  user: UserSchema.optional(),
  message: z.looseObject({ id }).optional(),
  data: z.unknown().optional(),
});
