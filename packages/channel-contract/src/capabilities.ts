import type { MediaKind } from "./message.ts";

/** Things a channel can do beyond sending. A channel's `act` takes exactly the declared ones. */
export type ActionName =
  | "pin"
  | "unpin"
  | "pins-list"
  | "read"
  | "search"
  | "reactions-list"
  | "thread-create"
  | "thread-list"
  | "thread-reply"
  | "member-info"
  | "channel-info"
  | "emoji-list"
  | "permissions";

/** What a channel can do, as data. The gateway reads it and degrades before it sends; no method is probed for. */
export interface ChannelCapabilities {
  /**
   * `platform`: conversation ids are the platform's. `session-key`: they are the gateway's own session keys, and only people whom the gateway has
   * authenticated can write there (WebChat).
   */
  readonly addressing: "platform" | "session-key";
  readonly text: {
    /** Longest text of one message, counted in `unit`, after rendering. */
    readonly maxLength: number;
    readonly unit: "utf16" | "code-points" | "bytes";
    /** Longest message in lines, where the platform folds or cuts longer ones. */
    readonly maxLines?: number;
    /** How much of Markdown is shown: all of the contract's dialect, a part, or nothing. */
    readonly markdown: "full" | "subset" | "none";
    /** Name of the platform's markup for the prompt, such as `slack-mrkdwn`. */
    readonly dialect: string;
  };
  /** `native`: threads are addresses of their own; `flat`: there are none. */
  readonly threads: "native" | "flat";
  readonly edit: boolean;
  /** Bounds of editing, where the platform has them: changes of one message, and milliseconds between two. */
  readonly edits?: { readonly maxPerMessage?: number; readonly minIntervalMs?: number };
  readonly delete: boolean;
  readonly reactions: boolean;
  readonly polls: boolean;
  readonly typing: boolean;
  /** Kinds that can be sent, each with its largest size in bytes; empty for a text-only channel. */
  readonly media: readonly { readonly kind: MediaKind; readonly maxBytes: number }[];
  readonly nativeCommands: boolean;
  readonly buttons: boolean;
  readonly cards: boolean;
  /** How a growing answer can be shown: not at all, by editing a message, or by the platform's own means. */
  readonly streaming: "none" | "edit" | "native";
  /** True where block streaming needs no consent of the account (`blockStreaming`): the platform's people are used to several messages. */
  readonly blocksByDefault?: boolean;
  /**
   * True where a message of any age wants an answer, as in mail. Elsewhere a message that the platform delivers more than `messages.inbound.maxAgeHours`
   * after it was sent becomes a dead letter.
   */
  readonly acceptsOldMessages?: boolean;
  /**
   * How repeated sends under one idempotency key are recognised by the platform: within `windowMs`, for keys of at most `maxKeyLength` characters.
   * Absent when they are not: then an ambiguous send is not repeated without saying so (R3).
   */
  readonly idempotentSend?: { readonly windowMs: number; readonly maxKeyLength: number };
  /** True when two ids that differ only in case are two ids. */
  readonly caseSensitiveIds: boolean;
  /** True where `fetchContext` can add names, subjects or quoted texts that the platform's events lack. */
  readonly fetchesContext?: boolean;
  readonly actions: readonly ActionName[];
}
