/** A person or bot. */
export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly global_name?: string | null | undefined;
  readonly bot?: boolean | undefined;
}

/** A person in a server. */
export interface DiscordMember {
  readonly nick?: string | null | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly user?: DiscordUser | undefined;
}

/** A file of a message. */
export interface DiscordAttachment {
  readonly id: string;
  readonly filename: string;
  /** The name before the platform changed it. */
  readonly title?: string | null | undefined;
  readonly size?: number | undefined;
  readonly url?: string | undefined;
  readonly content_type?: string | null | undefined;
  /** Set for a recorded voice message. */
  readonly waveform?: string | null | undefined;
}

/** What a message shows; the same for a forwarded one. */
export interface DiscordContent {
  readonly content: string;
  readonly attachments: readonly DiscordAttachment[];
  readonly embeds: readonly {
    readonly type?: string | undefined;
    readonly title?: string | null | undefined;
    readonly description?: string | null | undefined;
    readonly fields?: readonly { readonly name: string; readonly value: string }[] | undefined;
  }[];
  readonly sticker_items?: readonly { readonly name: string }[] | undefined;
  readonly mentions: readonly (DiscordUser & { readonly member?: DiscordMember | undefined })[];
  readonly mention_roles: readonly string[];
}

/** A message. */
export interface DiscordMessage extends DiscordContent {
  readonly id: string;
  readonly channel_id: string;
  readonly guild_id?: string | undefined;
  readonly type: number;
  readonly author: DiscordUser;
  readonly member?: DiscordMember | undefined;
  readonly timestamp: string;
  readonly edited_timestamp?: string | null | undefined;
  readonly webhook_id?: string | undefined;
  readonly message_reference?:
    | { readonly type?: number | undefined; readonly message_id?: string | undefined; readonly channel_id?: string | undefined }
    | undefined;
  readonly referenced_message?: DiscordMessage | null | undefined;
  readonly message_snapshots?: readonly { readonly message: DiscordContent }[] | undefined;
  readonly poll?:
    | {
        readonly question: { readonly text?: string | undefined };
        readonly answers: readonly { readonly poll_media: { readonly text?: string | undefined } }[];
      }
    | undefined;
}

/** An interaction: a command, a press, a dialog that was filled in, or a request for completions. */
export interface DiscordInteraction {
  readonly id: string;
  readonly application_id: string;
  readonly type: number;
  readonly token: string;
  readonly guild_id?: string | undefined;
  readonly channel_id?: string | undefined;
  readonly channel?: { readonly id: string; readonly type: number; readonly parent_id?: string | null | undefined } | undefined;
  readonly member?: (DiscordMember & { readonly user: DiscordUser }) | undefined;
  readonly user?: DiscordUser | undefined;
  readonly message?: { readonly id: string } | undefined;
  readonly data?: unknown;
}

/** Where an event happened. */
interface EventPlace {
  readonly channel_id: string;
  readonly guild_id?: string | undefined;
}

/** Deleted messages. */
export interface DeletedMessages extends EventPlace {
  readonly ids: readonly string[];
}

/** A reaction that was added or taken back. */
export interface DiscordReaction extends EventPlace {
  readonly user_id: string;
  readonly message_id: string;
  readonly member?: DiscordMember | undefined;
  readonly message_author_id?: string | undefined;
  /** A server's own emoji has an id. */
  readonly emoji: DiscordEmoji;
}

/** An emoji. */
export interface DiscordEmoji {
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
}

/** One answer in a poll, given or taken back. */
export interface DiscordVote extends EventPlace {
  readonly user_id: string;
  readonly message_id: string;
  /** From 1. */
  readonly answer_id: number;
}
