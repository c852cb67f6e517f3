import type { AccountProgress, AccountState } from "./account-state.ts";
import type { ActionName, ChannelCapabilities } from "./capabilities.ts";
import type { AttachmentRef, MessageContext, MsgContext } from "./message.ts";
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

/** The services that a channel gets from the gateway. */
export interface ChannelHost {
  /** Key of the account that this instance serves. */
  readonly accountId: string;
  /**
   * Passes one event to the gateway. Resolves once it is committed, together with `progress`: acknowledge it to the platform only then. `duplicate`: the event
   * was committed before, and `progress` is committed now; acknowledge it too. Rejects if the event could not be stored: do not acknowledge. Rejects with a
   * RangeError if `progress` exceeds a limit of the account's state.
   */
  receive(message: MsgContext, progress?: AccountProgress): Promise<"accepted" | "duplicate">;
  /** Commits progress without a message. Rejects if it could not be stored, with a RangeError if it exceeds a limit of the account's state. */
  commit(progress: AccountProgress): Promise<void>;
  /** The last committed cursor. */
  cursor(): Promise<string | undefined>;
  /** State of the account that survives restarts. */
  readonly state: AccountState;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fetch: typeof fetch;
  readonly random: Random;
}

/** One call of `act`; the parameters of each action are documented by the channel that declares it. */
export interface ChannelAction {
  readonly name: ActionName;
  readonly target: Origin;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The result of an action, as JSON. */
export interface ActionResult {
  readonly value: unknown;
}

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
  /** Disconnects and waits for sends in flight, until the signal fires. Idempotent; releases all handles. */
  stop(options: CallOptions): Promise<void>;
}
