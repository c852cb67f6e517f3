import type { ActionName, ChannelCapabilities } from "./capabilities.ts";
import type { AttachmentRef, MessageContext, MsgContext } from "./message.ts";
import type { Origin } from "./origin.ts";
import type { Media, Outbound, SendReceipt } from "./outbound.ts";

/** Every call into a channel can be ended. */
export interface CallOptions {
  readonly signal: AbortSignal;
}

/** Options of a send. */
export interface SendOptions extends CallOptions {
  /** The same for every try of one logical send; passed on where the platform can use it. */
  readonly idempotencyKey: string;
}

/** The time, injected. The same as in `agent-contract`, as are `Random` and `Logger`: a contract depends on no other. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For display and schedules; it can jump. */
  now(): number;
  /** Milliseconds that only go forward. For deadlines. */
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

/** A structured log that redacts secrets. Message texts do not belong into it. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A log whose every line carries these fields too. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}

/** All that a channel gets from the gateway. */
export interface ChannelHost {
  /** Key of the account that this instance serves. */
  readonly accountId: string;
  /**
   * Hands over one event. Resolves once it is committed, together with `cursor`: only then may the platform be told that it arrived.
   * `duplicate`: it was committed before; acknowledge it too. Rejects when it could not be stored: do not acknowledge.
   */
  receive(message: MsgContext, options?: { readonly cursor?: string }): Promise<"accepted" | "duplicate">;
  /** The cursor that was committed last. */
  cursor(): Promise<string | undefined>;
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

/** What an action brought, as JSON. */
export interface ActionResult {
  readonly value: unknown;
}

/** How the inbound path is, by evidence: an answered poll, an acknowledged heartbeat, a verified webhook. */
export interface ChannelHealth {
  readonly state: "starting" | "connected" | "degraded" | "disconnected" | "stopped";
  /** When the evidence was seen, milliseconds since the epoch. */
  readonly evidenceAtMs?: number;
  /** For people: what is wrong and what to do. No secrets. */
  readonly detail?: string;
}

/** One account of one platform. No state outside the instance; two accounts are two instances. */
export interface Channel {
  readonly capabilities: ChannelCapabilities;
  /** Connects. Resolves when inbound events can arrive; rejects with a ChannelError. Twice is once. */
  start(options: CallOptions): Promise<void>;
  /** Answers one webhook request of the platform: verifies the raw bytes, hands over, answers after the commit. 404 where there is no webhook. Never rejects for bad input. */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  /**
   * Sends one outbound message and resolves with what became of it. Never rejects.
   * Safe to call concurrently: calls for one conversation are delivered in call order.
   */
  send(target: Origin, outbound: Outbound, options: SendOptions): Promise<SendReceipt>;
  /** Runs one of `capabilities.actions`; rejects with a ChannelError. */
  act(action: ChannelAction, options: CallOptions): Promise<ActionResult>;
  /** Fetches an attachment, at most `maxBytes`; rejects with a ChannelError (`too-long` over the limit). */
  fetchAttachment(ref: AttachmentRef, options: CallOptions & { readonly maxBytes: number }): Promise<Media>;
  /**
   * Asks the platform for what the event of a committed message lacks: the sender's name, the group's subject, the quoted text. Called only where
   * `capabilities.fetchesContext` is true. Never rejects: what cannot be fetched is left out, and `health().detail` says which permission is missing.
   */
  fetchContext(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** Finds the address for `user:…`, `channel:…` or a name; `undefined` if there is none, or more than one. */
  resolveTarget(query: string, options: CallOptions): Promise<Origin | undefined>;
  health(): ChannelHealth;
  /** Disconnects and waits for sends that are on the wire, until the signal fires. Twice is once; no handle is left. */
  stop(options: CallOptions): Promise<void>;
}
