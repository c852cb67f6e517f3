import * as z from "zod";
import type { OwnMemberUpdate, ReactionUpdate, TelegramMessage, TelegramPress, VoteUpdate } from "./update-types.ts";

const id = z.number().int();
const UserSchema = z.looseObject({
  id,
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});
const ChatSchema = z.looseObject({
  id,
  type: z.enum(["private", "group", "supergroup", "channel"]),
  title: z.string().optional(),
  username: z.string().optional(),
});
const EntitySchema = z.looseObject({
  type: z.string(),
  offset: id,
  length: id,
  url: z.string().optional(),
  user: UserSchema.optional(),
  language: z.string().optional(),
});
const entities = z.array(EntitySchema).default([]);
const fileShape = {
  file_id: z.string().min(1),
  file_size: z.number().nonnegative().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
};
/** What the platform adds to a part later must not lose the message: a part that cannot be read is left out. */
const part = <Schema extends z.ZodType>(schema: Schema): z.ZodCatch<z.ZodOptional<Schema>> => schema.optional().catch(undefined);
const FileSchema = z.looseObject(fileShape);
const OriginSchema = z.looseObject({
  sender_user: part(UserSchema),
  sender_user_name: part(z.string()),
  sender_chat: part(ChatSchema),
  chat: part(ChatSchema),
});

const partShape = {
  message_id: id,
  chat: ChatSchema,
  date: id,
  from: UserSchema.optional(),
  sender_chat: ChatSchema.optional(),
  forum_topic_created: part(z.looseObject({ name: z.string() })),
  text: z.string().optional(),
  entities,
  caption: z.string().optional(),
  caption_entities: entities,
  photo: part(z.array(FileSchema)),
  document: part(FileSchema),
  audio: part(FileSchema),
  voice: part(FileSchema),
  video: part(FileSchema),
  video_note: part(FileSchema),
  animation: part(FileSchema),
  sticker: part(
    z.looseObject({ ...fileShape, emoji: z.string().optional(), is_animated: z.boolean().optional(), is_video: z.boolean().optional() }),
  ),
  location: part(z.looseObject({ latitude: z.number(), longitude: z.number(), live_period: z.number().optional() })),
  venue: part(z.looseObject({ title: z.string(), address: z.string() })),
  contact: part(z.looseObject({ first_name: z.string(), last_name: z.string().optional(), phone_number: z.string() })),
  dice: part(z.looseObject({ emoji: z.string(), value: id })),
  poll: part(z.looseObject({ question: z.string(), options: z.array(z.looseObject({ text: z.string() })) })),
};

/** Parses the frame of an update. */
export const UpdateSchema: z.ZodType<{ readonly update_id: number; readonly [type: string]: unknown }> = z.looseObject({ update_id: id });

/** Parses a message. */
export const MessageSchema: z.ZodType<TelegramMessage> = z.looseObject({
  ...partShape,
  message_thread_id: id.optional(),
  is_topic_message: z.boolean().optional(),
  edit_date: id.optional(),
  media_group_id: z.string().optional(),
  is_automatic_forward: z.boolean().optional(),
  forward_origin: part(OriginSchema),
  reply_to_message: part(z.looseObject(partShape)),
  external_reply: part(z.looseObject({ origin: part(OriginSchema) })),
  quote: part(z.looseObject({ text: z.string(), entities, is_manual: z.boolean().optional() })),
  new_chat_members: z.array(UserSchema).optional(),
  left_chat_member: UserSchema.optional(),
  migrate_to_chat_id: id.optional(),
  migrate_from_chat_id: id.optional(),
}) as unknown as z.ZodType<TelegramMessage>;

/** Parses a pressed button. */
export const PressSchema: z.ZodType<TelegramPress> = z.looseObject({
  id: z.string().min(1),
  from: UserSchema,
  message: z
    .looseObject({ message_id: id, chat: ChatSchema, message_thread_id: id.optional(), is_topic_message: z.boolean().optional() })
    .optional(),
  data: z.string().optional(),
}) as unknown as z.ZodType<TelegramPress>;

const reactions = z.array(z.looseObject({ type: z.string(), emoji: z.string().optional(), custom_emoji_id: z.string().optional() }));

/** Parses a changed reaction. */
export const ReactionSchema: z.ZodType<ReactionUpdate> = z.looseObject({
  chat: ChatSchema,
  message_id: id,
  user: UserSchema.optional(),
  actor_chat: ChatSchema.optional(),
  date: id,
  old_reaction: reactions,
  new_reaction: reactions,
}) as unknown as z.ZodType<ReactionUpdate>;

const MemberSchema = z.looseObject({ status: z.string(), is_member: z.boolean().optional() });

/** Parses a changed membership of the bot. */
export const OwnMemberSchema: z.ZodType<OwnMemberUpdate> = z.looseObject({
  chat: ChatSchema,
  from: UserSchema,
  date: id,
  old_chat_member: MemberSchema,
  new_chat_member: MemberSchema,
}) as unknown as z.ZodType<OwnMemberUpdate>;

/** Parses an answer in a poll. */
export const VoteSchema: z.ZodType<VoteUpdate> = z.looseObject({
  poll_id: z.string().min(1),
  user: UserSchema.optional(),
  voter_chat: ChatSchema.optional(),
  option_ids: z.array(id),
}) as unknown as z.ZodType<VoteUpdate>;
