import type { AgentMessage, CompactionMessage, SystemPrompt, ToolSchema } from "@factotum/agent-contract";

/** One line of a conversation, append-only. `notice` is for people and never sent to a model. */
export type TranscriptEntry = TranscriptBody & {
  /** Unique in the store; sorts in the order of appending. */
  readonly id: string;
  readonly parentId?: string;
  readonly sessionId: string;
  readonly turnId?: string;
  readonly timestampMs: number;
};

/** A part of a notice, for clients with a layout: a line, a list, rows of name and text, or what somebody else than the gateway has said, in Markdown. */
export type NoticeBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "quote"; readonly text: string }
  | { readonly type: "list"; readonly items: readonly string[] }
  | { readonly type: "rows"; readonly rows: readonly { readonly name: string; readonly text: string }[] };

/** What an entry holds. */
export type TranscriptBody =
  | { readonly type: "message"; readonly message: AgentMessage }
  | { readonly type: "compaction"; readonly message: CompactionMessage }
  /**
   * From here on the named entries are sent as these messages; the entries themselves stay. `rerendered`: older turns were rendered again at a named cause.
   * Without it, a provider refused something in them (R8).
   */
  | {
      readonly type: "replacement";
      readonly messages: readonly { readonly entryId: string; readonly message: AgentMessage }[];
      readonly rerendered?: true;
    }
  /**
   * From here on the conversation continues the entry `after`, or its own start without one: what came behind that is another branch, which is kept. `key`:
   * what made it; unique in the store, and not written to plain files.
   */
  | { readonly type: "branch"; readonly after?: string; readonly key?: string }
  /** A message of a person that clients show and the model never gets: a command, or a message that was dropped. `eventId` is that of its input. */
  | {
      readonly type: "ui-message";
      readonly text: string;
      readonly channel: string;
      readonly eventId: string;
      readonly sender?: string;
      /** The number of attached files, if any. */
      readonly attachments?: number;
    }
  /**
   * `key`: what it is the notice of, such as a delivery's idempotency key; unique in the store. `tellsModel`: the next turn's message informs the model of
   * it; `tainted`: that message is then marked, because others than the owner may have caused the text. `blocks`: the text with its structure, for display. Neither `key` nor `blocks` is written to plain files.
   */
  | {
      readonly type: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly blocks?: readonly NoticeBlock[];
      readonly key?: string;
      readonly tellsModel?: true;
      readonly tainted?: true;
    };

/** A rendered prompt, stored so that it stays byte-identical. */
export interface PromptRecord {
  readonly sessionId: string;
  readonly system: SystemPrompt;
  /** The tools block as sent: names, descriptions, schemas, in order. */
  readonly tools: readonly ToolSchema[];
  /** SHA-256 of system and tools, hex. */
  readonly hash: string;
  /** The named cause that rendered it, such as `new-session`. */
  readonly cause: string;
  /** Fingerprint of the configuration it was rendered from; a change of it is a named cause. */
  readonly basis: string;
  readonly renderedAtMs: number;
  /** The positions of its sections, for reports; absent for a prompt of an older build. */
  readonly outline?: PromptOutline;
}

/** The structure of a prompt; the texts are in the prompt itself. */
export interface PromptOutline {
  /** In order; the sections of one half are separated by two line breaks. */
  readonly sections: readonly { readonly id: string; readonly half: "stable" | "session"; readonly chars: number }[];
  /** Workspace files that did not fit. */
  readonly cutFiles: readonly {
    readonly name: string;
    readonly limit: "file" | "total";
    readonly keptChars: number;
    readonly totalChars: number;
  }[];
}
