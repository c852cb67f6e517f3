import type { AccountProgress, AccountState } from "./account-state.ts";
import type { ActionName } from "./actions.ts";
import type { ChannelCapabilities } from "./capabilities.ts";
import type { AttachmentRef, HistoryMessage, MessageContext, MessageId, MsgContext } from "./message.ts";
import type { Origin } from "./origin.ts";
import type { Media, Outbound, SendReceipt } from "./outbound.ts";

/** Options of every call that can be aborted. */
export interface CallOptions {
  readonly signal: AbortSignal;
}

/** Options of a send. */
export interface SendOptions extends CallOptions {
  /** The same for every attempt of one logical send; passed on if the platform supports it. */
  readonly idempotencyKey: string;
  /** `ReplyContext.data` of the newest message that caused the send, in the same conversation, while it is valid. Only with the capability `replyContext`. */
  readonly replyContext?: string;
  /**
   * How the turn that caused the send has ended, if this is its answer or the notice in place of one; further parts of a text over the limit can follow. For protocols whose requests end. Only with the capability `replyContext`.
   */
  readonly endsTurn?: "done" | "failed" | "aborted";
}

/** The clock, injected. Duplicated from `agent-contract`, like `Random` and `Logger`: a contract depends on no other. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Monotonic milliseconds. For deadlines. */
  monotonic(): number;
  /** Calls back once after `delayMs`; disposing cancels. Does not keep the process alive. */
  schedule(delayMs: number, callback: () => void): Disposable;
}

/** Randomness, injected. */
export interface Random {
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
  /** A version 4 UUID. */
  uuid(): string;
  /** In [0, 1); for jitter, not for secrets. */
  float(): number;
}

/** A structured log that redacts secrets. Do not log message texts. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A logger that adds these fields to every line. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** One slash command, as menus show it. */
export interface HostCommand {
  /** Without a slash. */
  readonly name: string;
  readonly summary: string;
}

/** The gateway's slash commands. */
export interface HostCommands {
  list(): readonly HostCommand[];
  onChange(callback: () => void): Disposable;
}

/** The services that a channel gets from the gateway. */
export interface ChannelHost {
  /** Key of the account that this instance serves. */
  readonly accountId: string;
  /**
   * Passes one event to the gateway. Resolves once it is committed, together with `progress`: acknowledge it to the platform only then. `duplicate`: the event
   * was committed before, and `progress` is committed now; acknowledge it too. Rejects if the event could not be stored: do not acknowledge. Rejects with a
   * RangeError if `progress` exceeds a limit of the account's state, or an id holds a NUL or half of a surrogate pair: it can never be stored.
   */
  receive(message: MsgContext, progress?: AccountProgress): Promise<"accepted" | "duplicate">;
  /**
   * Whether the configuration admits a message's sender now. An unadmitted sender gets no answer, so a protocol whose requests end can end the request at once. The
   * message is passed to `receive` all the same, which decides again.
   */
  admits(message: MsgContext): boolean;
  /** Commits progress without a message. Rejects if it could not be stored, with a RangeError if it exceeds a limit of the account's state. */
  commit(progress: AccountProgress): Promise<void>;
  /** The last committed cursor. */
  cursor(): Promise<string | undefined>;
  /** State of the account that survives restarts. */
  readonly state: AccountState;
  /** The slash commands that people of this account can use, for the platform's menus. `onChange` calls back when the list has changed. */
  readonly commands: HostCommands;
  /** The public address of this account's webhook, for platforms where it can be registered; `undefined` without `gateway.publicUrl`. */
  readonly webhookUrl: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For the platform's own addresses. */
  readonly fetch: typeof fetch;
  /**
   * Fetches a file from an address that somebody else has named: from public addresses alone, redirects included, without credentials (R22). Rejects with a
   * ChannelError: `forbidden` for another address, `too-long` over the limit, `unreachable` otherwise.
   */
  fetchPublic(url: string, options: CallOptions & { readonly maxBytes: number }): Promise<Uint8Array>;
  readonly random: Random;
}

/** One call of `act`. `parameters` match `ACTIONS[name].parameters`. */
export interface ChannelAction {
  readonly name: ActionName;
  readonly target: Origin;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The result of an action, as JSON that matches `ACTIONS[name].result`. */
export interface ActionResult {
  readonly value: unknown;
}

/** One step of a login, to be shown to the owner. */
export type LoginStep =
  | { readonly type: "text"; readonly text: string }
  /** `content` is what the code encodes. */
  | { readonly type: "qr"; readonly content: string; readonly text: string }
  | { readonly type: "link"; readonly url: string; readonly text: string }
  /** Asks for a line, such as a code that was sent; `answer` continues the login. */
  | { readonly type: "ask"; readonly text: string; readonly isSecret: boolean; answer(line: string): void }
  /** The last step. What the login gave is committed to the account's state by then. */
  | { readonly type: "done"; readonly text: string };

/** The result of a probe: the account as the platform knows it, and the permissions that it lacks. */
export interface ProbeResult {
  readonly account: { readonly id: string; readonly name?: string };
  readonly missingPermissions: readonly string[];
  /** Why messages do not arrive although the credential is right, and what to do; one sentence each. */
  readonly problems?: readonly string[];
  /** Settings of the platform that people should know of, and that may be intended; one sentence each. */
  readonly notes?: readonly string[];
}

/** A person or conversation that can be written to. */
export interface DirectoryEntry {
  readonly type: "person" | "group" | "channel";
  readonly id: string;
  readonly name?: string;
}

/** Whether a send whose answer was lost is shown. */
export type Reconciliation =
  | { readonly type: "shown"; readonly messageIds: readonly MessageId[] }
  | { readonly type: "not-shown" }
  | { readonly type: "unknown" };

/** The state of the inbound path, by evidence: an answered poll, an acknowledged heartbeat, a verified webhook. */
export interface ChannelHealth {
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped";
  /** Time of the evidence, milliseconds since the epoch. */
  readonly evidenceAtMs?: number;
  /** For users: what is wrong and what to do. No secrets. */
  readonly detail?: string;
}

/** One account of one platform. No state outside the instance; two accounts are two instances. */
export interface Channel {
  readonly capabilities: ChannelCapabilities;
  /** Connects. Resolves once inbound events can arrive; rejects with a ChannelError. Idempotent. */
  start(options: CallOptions): Promise<void>;
  /**
   * Handles one webhook request of the platform: verifies the raw bytes, passes the event on, answers after the commit. 404 without a webhook. Never rejects
   * for bad input.
   */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  /** Sends one outbound message and resolves with its receipt. Never rejects. Safe to call concurrently: calls for one conversation are delivered in call order. */
  send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt>;
  /** Runs one of `capabilities.actions`; rejects with a ChannelError. */
  act(action: ChannelAction, options: CallOptions): Promise<ActionResult>;
  /** Fetches an attachment, at most `maxBytes`; rejects with a ChannelError (`too-long` over the limit). */
  fetchAttachment(ref: AttachmentRef, options: CallOptions & { readonly maxBytes: number }): Promise<Media>;
  /**
   * Fetches what the event of a committed message lacks: the sender's name, the group's subject, the quoted text. Called only if `capabilities.fetchesContext`
   * is true. Never rejects: what cannot be fetched is omitted, and `health().detail` names the missing permission.
   */
  fetchContext(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** Resolves `user:…`, `channel:…` or a name to an address; `undefined` if there is none, or more than one. */
  resolveTarget(query: string, options: CallOptions): Promise<Origin | undefined>;
  health(): ChannelHealth;
  /** Logs the account in, step by step, and ends with `done`; rejects with a ChannelError. Not started. Only with `optional: "login"`. */
  login?(options: CallOptions): AsyncIterable<LoginStep>;
  /** Checks credential and permissions by a free call, without starting; rejects with a ChannelError. Only with `optional: "probe"`. */
  probe?(options: CallOptions): Promise<ProbeResult>;
  /** People and conversations whose name or id contains `query`, at most `limit`. Only with `optional: "directory"`. */
  directory?(query: string, options: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]>;
  /**
   * The newest messages of a conversation, oldest first, at most `limit`, those before `before` if given. Only with `optional: "history"`. The gateway calls it at
   * the first message that addresses the bot in a group or thread: without `messageId` it cannot tell what is shown already, without `senderId` who may be shown.
   */
  history?(
    target: Origin,
    options: CallOptions & { readonly limit: number; readonly before?: MessageId },
  ): Promise<readonly HistoryMessage[]>;
  /**
   * Looks for a send whose answer was lost, at the platform's messages since `sentAtMs`: a lower bound, since an earlier attempt may have been refused, or the row
   * may have waited. Never rejects. Only with `optional: "reconcile"`; not called while a repeated send would be recognised (`idempotentSend`).
   */
  reconcile?(target: Origin, outbound: Outbound, options: SendOptions & { readonly sentAtMs: number }): Promise<Reconciliation>;
  /** Disconnects and waits for sends in flight, until the signal fires. Idempotent; releases all handles. */
  stop(options: CallOptions): Promise<void>;
}
