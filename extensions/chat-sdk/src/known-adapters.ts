import type { ChannelCapabilities, ChannelErrorCode } from "@factotum/channel-contract";
import type { Adapter } from "chat";

/** What is proved of one adapter by the conformance suite, beyond the minimum that every adapter gets. */
export interface KnownAdapter {
  readonly capabilities: Omit<ChannelCapabilities, "addressing">;
  /** The longest text of a message after the adapter has rendered it; the adapter cuts longer ones without a word. */
  readonly maxRenderedLength: number;
  /** The same of the text below a file. */
  readonly maxCaptionLength: number;
  /** The kind of a file is passed on; otherwise it is sent as a plain file. */
  readonly sendsMediaKinds: boolean;
  /** What refusals mean whose error says nothing but their text, first match first. */
  readonly refusals: readonly (readonly [RegExp, ChannelErrorCode])[];
  /** An edit that is refused with this text is as it should be. */
  readonly unchanged: RegExp;
  /** Commands that the platform's clients send by themselves, and what they mean. */
  readonly commandAliases: Readonly<Record<string, string>>;
  /** Options without which the declared guarantee does not hold: one line that says what to do. */
  problem(options: Readonly<Record<string, unknown>>): string | undefined;
  /** Rejects if the platform refuses the credential; the adapter itself only logs that. */
  verify(adapter: Adapter): Promise<unknown>;
}

const MEBIBYTE = 1024 * 1024;

const TELEGRAM: KnownAdapter = {
  capabilities: {
    inbound: { delivery: "redelivers", transport: "webhook", webhookAuth: "secret" },
    text: { maxLength: 4_000, unit: "utf16", markdown: "subset", dialect: "telegram-markdown" },
    threads: "native",
    edit: true,
    edits: { minIntervalMs: 1_000 },
    delete: true,
    reactions: true,
    polls: false,
    typing: true,
    media: [
      { kind: "image", maxBytes: 10 * MEBIBYTE },
      ...(["audio", "video", "file"] as const).map((kind) => ({ kind, maxBytes: 50 * MEBIBYTE })),
    ],
    nativeCommands: true,
    buttons: true,
    cards: true,
    cardEdits: true,
    limits: {
      captionLength: 1_000,
      buttonsPerCard: 24,
      buttonLabelLength: 64,
      buttonValueBytes: 4_000,
      sendRate: { count: 30, perMs: 1_000 },
    },
    optional: ["probe"],
    streaming: "edit",
    blocksByDefault: true,
    caseSensitiveIds: true,
    events: ["edit", "reaction", "action"],
    actions: ["member-info", "channel-info"],
  },
  maxRenderedLength: 4_096,
  maxCaptionLength: 1_024,
  sendsMediaKinds: true,
  refusals: [
    // The platform answers 404 for a token that cannot be one; the adapter then names the method.
    [/^(?:get|send|edit|delete|set|answer)[A-Za-z]+ not found in telegram$/, "unauthorized"],
    [/too long|too_long|too big|too large/i, "too-long"],
    [/not enough rights|no rights|write_forbidden|topic_closed|can't be (?:edited|deleted)|not a member/i, "forbidden"],
    [/not found|_id_invalid|message_thread_invalid|topic_deleted/i, "not-found"],
  ],
  unchanged: /message is not modified/,
  commandAliases: { start: "help" },
  problem({ mode, secretToken, allowUnverifiedWebhooks }) {
    if (mode !== "webhook") return 'set options.mode to "webhook": this channel gets its events by webhook only';
    if (typeof secretToken !== "string" || secretToken === "" || allowUnverifiedWebhooks === true)
      return "set options.secretToken, and no options.allowUnverifiedWebhooks: otherwise everybody could post messages";
    return undefined;
  },
  async verify(adapter) {
    // The chat does not exist: a refusal of it is an answer to a genuine bot.
    return adapter.fetchThread(`${adapter.name}:0`).catch((error: unknown) => {
      if ((error as { readonly code?: unknown } | null)?.code !== "VALIDATION_ERROR") throw error;
    });
  },
};

const KNOWN: Readonly<Record<string, KnownAdapter>> = { "@chat-adapter/telegram": TELEGRAM };

/** The entry of an adapter; `undefined` for one that was not tested with this channel. */
export function knownAdapter(name: string): KnownAdapter | undefined {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
}
