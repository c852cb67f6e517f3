/** A person or bot. */
export interface TelegramUser {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly last_name?: string | undefined;
  readonly username?: string | undefined;
}

/** A chat of the platform. */
export interface TelegramChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string | undefined;
  readonly username?: string | undefined;
}

/** A style of a part of a text, in UTF-16 units. */
export interface TelegramEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string | undefined;
  readonly user?: TelegramUser | undefined;
  readonly language?: string | undefined;
}

/** A file of a message. */
export interface TelegramFileInfo {
  readonly file_id: string;
  readonly file_size?: number | undefined;
  readonly file_name?: string | undefined;
  readonly mime_type?: string | undefined;
}

/** Where a forwarded or quoted message comes from. */
export interface ForwardOrigin {
  readonly sender_user?: TelegramUser | undefined;
  readonly sender_user_name?: string | undefined;
  readonly sender_chat?: TelegramChat | undefined;
  readonly chat?: TelegramChat | undefined;
}

/** What a message shows. */
export interface MessageContent {
  readonly text?: string | undefined;
  readonly entities: readonly TelegramEntity[];
  readonly caption?: string | undefined;
  readonly caption_entities: readonly TelegramEntity[];
  readonly photo?: readonly TelegramFileInfo[] | undefined;
  readonly document?: TelegramFileInfo | undefined;
  readonly audio?: TelegramFileInfo | undefined;
  readonly voice?: TelegramFileInfo | undefined;
  readonly video?: TelegramFileInfo | undefined;
  readonly video_note?: TelegramFileInfo | undefined;
  readonly animation?: TelegramFileInfo | undefined;
  readonly sticker?:
    | (TelegramFileInfo & {
        readonly emoji?: string | undefined;
        readonly is_animated?: boolean | undefined;
        readonly is_video?: boolean | undefined;
      })
    | undefined;
  readonly location?: { readonly latitude: number; readonly longitude: number; readonly live_period?: number | undefined } | undefined;
  readonly venue?: { readonly title: string; readonly address: string } | undefined;
  readonly contact?: { readonly first_name: string; readonly last_name?: string | undefined; readonly phone_number: string } | undefined;
  readonly dice?: { readonly emoji: string; readonly value: number } | undefined;
  readonly poll?: { readonly question: string; readonly options: readonly { readonly text: string }[] } | undefined;
}

/** A message without what it answers. */
export interface MessagePart extends MessageContent {
  readonly message_id: number;
  readonly chat: TelegramChat;
  /** Seconds since the epoch. */
  readonly date: number;
  readonly from?: TelegramUser | undefined;
  readonly sender_chat?: TelegramChat | undefined;
  readonly forum_topic_created?: { readonly name: string } | undefined;
}

/** A message, as updates show it. */
export interface TelegramMessage extends MessagePart {
  readonly message_thread_id?: number | undefined;
  readonly is_topic_message?: boolean | undefined;
  readonly edit_date?: number | undefined;
  readonly media_group_id?: string | undefined;
  readonly is_automatic_forward?: boolean | undefined;
  readonly forward_origin?: ForwardOrigin | undefined;
  readonly reply_to_message?: MessagePart | undefined;
  readonly external_reply?: { readonly origin?: ForwardOrigin | undefined } | undefined;
  readonly quote?:
    | { readonly text: string; readonly entities: readonly TelegramEntity[]; readonly is_manual?: boolean | undefined }
    | undefined;
  readonly new_chat_members?: readonly TelegramUser[] | undefined;
  readonly left_chat_member?: TelegramUser | undefined;
  readonly migrate_to_chat_id?: number | undefined;
  readonly migrate_from_chat_id?: number | undefined;
}

/** A pressed button. Without a message it belongs to a message of another kind. */
export interface TelegramPress {
  readonly id: string;
  readonly from: TelegramUser;
  readonly message?:
    | {
        readonly message_id: number;
        readonly chat: TelegramChat;
        readonly message_thread_id?: number | undefined;
        readonly is_topic_message?: boolean | undefined;
      }
    | undefined;
  readonly data?: string | undefined;
}

/** A reaction: an emoji of Unicode, or one of the platform. */
export interface TelegramReaction {
  readonly type: string;
  readonly emoji?: string | undefined;
  readonly custom_emoji_id?: string | undefined;
}

/** Changed reactions of one person to a message. */
export interface ReactionUpdate {
  readonly chat: TelegramChat;
  readonly message_id: number;
  readonly user?: TelegramUser | undefined;
  readonly actor_chat?: TelegramChat | undefined;
  readonly date: number;
  readonly old_reaction: readonly TelegramReaction[];
  readonly new_reaction: readonly TelegramReaction[];
}

/** A changed membership of the bot. */
export interface OwnMemberUpdate {
  readonly chat: TelegramChat;
  readonly from: TelegramUser;
  readonly date: number;
  readonly old_chat_member: { readonly status: string; readonly is_member?: boolean | undefined };
  readonly new_chat_member: { readonly status: string; readonly is_member?: boolean | undefined };
}

/** An answer in a poll of the bot. */
export interface VoteUpdate {
  readonly poll_id: string;
  readonly user?: TelegramUser | undefined;
  readonly voter_chat?: TelegramChat | undefined;
  readonly option_ids: readonly number[];
}
