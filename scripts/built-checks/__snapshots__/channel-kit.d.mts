import { AccountProgress, CallOptions, Card, CardButton, Channel, ChannelError, ChannelErrorCode, ChannelHealth, ChannelHost, Clock, HostCommand, Markdown, Media, MediaKind, MessageId, MsgContext, Outbound, Random, Retry, SendReceipt } from "@factotum/channel-contract";
import { Root } from "mdast";
/** Bounds of a backoff. */
interface BackoffOptions {
  /** Upper bound of the first delay, in milliseconds; 1,000 by default. */
  readonly baseMs?: number;
  /** Upper bound of all delays, in milliseconds; 300,000 by default. */
  readonly maxMs?: number;
  readonly random: Pick<Random, "float">;
}
/**
 * The delay before attempt number `attempt` (0 is the first retry): random between 0 and a bound that doubles with every attempt, so that clients which failed
 * together do not retry together. Milliseconds, integer.
 */
declare function backoffDelay(attempt: number, options: BackoffOptions): number;
/** How the platform is asked who the bot is. */
interface BotIdentityOptions<Bot> {
  /** Asks the platform; rejects if it does not name the bot. */
  readonly ask: (options: CallOptions) => Promise<Bot>;
  /** What a failure means for people, for status: `messages are refused until the platform names the bot`. */
  readonly consequence: string;
  readonly host: Pick<ChannelHost, "clock">;
  /** Fires when the channel stops; ends the request. */
  readonly signal: AbortSignal;
}
/** The bot of an account, asked for once: there is one request at a time, however many callers wait for it. */
interface BotIdentity<Bot> {
  /** The bot, once the platform has named it. */
  readonly known: Bot | undefined;
  /**
   * Asks the platform unless it has answered before. Rejects like `ask`, or with a ChannelError `unreachable` once the signal fires, which ends the wait and not
   * the request.
   */
  get(options: CallOptions): Promise<Bot>;
  /**
   * For an event that the platform sends again: waits briefly, and not at all when many events wait or the platform has just failed to answer. Rejects with a
   * ChannelError `unreachable`.
   */
  getForEvent(options: CallOptions): Promise<Bot>;
  /** The health with a failed request in its detail. The state stays. */
  addTo(health: ChannelHealth): ChannelHealth;
}
/** Remembers who the bot of an account is. Asks nothing before the first call. */
declare function createBotIdentity<Bot>({ ask, consequence, host: { clock }, signal: lives }: BotIdentityOptions<Bot>): BotIdentity<Bot>;
/** Why a query failed. */
interface LookupFailure {
  readonly code: ChannelErrorCode;
  readonly retry: Retry;
  readonly message: string;
  /** Set if the app lacks a scope: those of which one would do, empty if the platform names none. */
  readonly missingScopes?: readonly string[] | undefined;
}
/** One kind of lookup. */
interface CachedLookupOptions<T> {
  /** What is missing without it, for log and status: `the names of people in groups`. */
  readonly what: string;
  /** Reported if the platform does not name the missing scope. */
  readonly scope: string;
  /** What a person must do to grant a scope, for status. */
  readonly advice: (scope: string) => string;
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Queries the platform. */
  readonly ask: (key: string, options: CallOptions) => Promise<T>;
  /** Maps what `ask` rejected with. */
  readonly failureOf: (error: unknown) => LookupFailure;
  readonly host: Pick<ChannelHost, "clock" | "logger">;
  /** Fires when the channel stops; ends the queries. */
  readonly signal: AbortSignal;
}
/** Queries once per key and lifetime, shared by all callers; pauses while the platform refuses. */
interface CachedLookup<T> {
  /** For people: what is missing and how to get it. */
  readonly problem: string | undefined;
  /**
   * The value, or `undefined` if the query failed or the signal fired. Never rejects. `maxAgeMs`: queries again although the value has not expired. The signal
   * ends the wait, not the query.
   */
  get(key: string, options: CallOptions & {
    readonly maxAgeMs?: number;
  }): Promise<T | undefined>;
}
/** Creates an empty cache. */
declare function createCachedLookup<T>(options: CachedLookupOptions<T>): CachedLookup<T>;
/** Creates a map of at most `maxEntries`: with one more, the entry that was set longest ago is removed. */
declare function createBoundedMap<Key, Value>(maxEntries: number): Map<Key, Value>;
/** A button as it was sent, with its card, of which the body is not kept. */
interface StoredButton {
  readonly card: Card;
  readonly button: CardButton;
}
/** What the buttons of cards say, in the account's state: platforms allow few bytes for it. */
interface CardRows {
  /**
   * Resolves once the card is on disk, with the id of each button, of at most 20 characters.
   * @throws {PlatformFailure} `local` if it cannot be kept: the card must not be shown then.
   */
  keep(card: Pick<Card, "title" | "buttons" | "inputs">): Promise<readonly string[]>;
  /** The button with an id; `undefined` if it is not known any more, or was sent by another program. */
  find(id: string): Promise<StoredButton | undefined>;
}
/** Creates the access to an account's cards. */
declare function createCardRows({ state, clock, random }: Pick<ChannelHost, "state" | "clock" | "random">): CardRows;
/** The unit in which a platform limits texts. */
type TextUnit = "utf16" | "code-points" | "bytes";
/** The length of `text` in `unit`. */
declare function measure(text: string, unit: TextUnit): number;
/** One message of a longer text. */
interface MarkdownChunk {
  /** The text to send: the source span without white space at its edges, inside a code block with the block's fences added. */
  readonly text: string;
  /** Offset of the span in the source, UTF-16 code units. */
  readonly start: number;
  /** End of the span, exclusive. The next chunk starts here. */
  readonly end: number;
}
/** Limits of one message. */
interface ChunkLimits {
  /** Maximum length of a chunk, synthetic fences included; at least 32. */
  readonly maxLength: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum lines of a chunk, synthetic fences included; at least 4. Unlimited by default. */
  readonly maxLines?: number;
  /**
   * From this length on a chunk may end at the first paragraph; at most `maxLength`. Without it a chunk is as long as possible and ends in the second half of
   * the limit.
   */
  readonly minLength?: number;
}
/** Limits of one message, and the start offset. */
interface ChunkOptions extends ChunkLimits {
  /** Start offset: the end of the last chunk that was sent of this source. 0 by default. A code block that is open there is opened again. */
  readonly from?: number;
}
/**
 * Cuts Markdown into messages of at most `maxLength`. Breaks, once the chunk is long enough, at a paragraph, else a newline, else a sentence, else a space,
 * else anywhere between two graphemes. A code block that is cut is closed and opened again.
 *
 * Pure, and linear in the source. The concatenated spans of the chunks are exactly the source from `from` on (R18); only white space has no chunks. Only a
 * single grapheme longer than the limit is ever split, and then between code points. A fence line longer than a quarter of the limit counts as text. Throws a
 * RangeError for limits below the minimum.
 */
declare function chunkMarkdown(source: string, options: ChunkOptions): MarkdownChunk[];
/** A platform's command menu. */
interface CommandMenu {
  readonly maxCommands: number;
  /** Matches the names that the platform takes. Commands with other names are left out. */
  readonly name: RegExp;
  /** Characters (UTF-16 units) of a summary; longer ones are cut. */
  readonly summaryLength: number;
  /** The menu as the platform has it. */
  readonly read: (options: CallOptions) => Promise<readonly HostCommand[]>;
  /** Replaces the menu. */
  readonly write: (commands: readonly HostCommand[], options: CallOptions) => Promise<void>;
}
/** Keeps a menu equal to the gateway's commands. */
interface CommandRegistrar {
  /** Begins, and returns at once: a menu that cannot be registered stops no account. Idempotent. */
  start(): void;
  /** The health with what failed: then at least `degraded`. */
  addTo(health: ChannelHealth): ChannelHealth;
  /** Ends a running request, and registers nothing more. Idempotent. */
  stop(): void;
}
/** Creates a registrar: it registers on start and when the commands change, one request at a time, and only if the menu differs; after a failure again with backoff. */
declare function createCommandRegistrar(host: Pick<ChannelHost, "clock" | "commands" | "logger" | "random">, menu: CommandMenu): CommandRegistrar;
/** Cuts Markdown that is still being written. */
interface MarkdownStream {
  /** The end of the last chunk in the source; later text was not emitted. */
  readonly coveredEnd: number;
  /** Takes the next chunk of the source and returns the messages whose end no further text can change. */
  push(text: string): MarkdownChunk[];
  /** Returns the rest. Do not push afterwards. */
  end(): MarkdownChunk[];
}
/**
 * The same messages as `chunkMarkdown` gives for the whole text, regardless of chunk boundaries; the offsets of the spans are those of the whole text, and
 * white space between two messages belongs to the later one. Buffers only text that was not emitted: linear in the source. With `from` it also gets the whole
 * text, and starts there. Throws a RangeError for limits below the minimum.
 */
declare function createMarkdownStream(options: ChunkOptions): MarkdownStream;
/** One established connection. */
interface SupervisedConnection {
  /** Resolves with the reason once the connection has ended, for whatever cause. */
  readonly ended: Promise<Error>;
  /** Ends it; a goodbye is sent if the platform has one, within the signal. Never rejects. */
  close(options: CallOptions): Promise<void>;
}
/** `idle`: never started, or the start failed. `waiting`: a retry is scheduled. */
type ConnectionState = "idle" | "connecting" | "connected" | "waiting" | "stopped";
/** How a connection is opened, and when again. */
interface ConnectionSupervisorOptions<C extends SupervisedConnection> {
  /** Opens a connection; rejects if that fails. The signal fires with the start's signal, and when the supervisor is stopped. */
  open(options: CallOptions): Promise<C>;
  /** Minimum delay in milliseconds before the next attempt after this failure, such as a platform's throttling. None by default. */
  readonly minDelayMs?: (failure: Error) => number;
  /** Called with every failure that is followed by another attempt. */
  readonly onRetry?: (failure: Error, delayMs: number) => void;
  readonly clock: Clock;
  readonly random: Pick<Random, "float">;
}
/** Keeps one connection of an account open. */
interface ConnectionSupervisor<C extends SupervisedConnection> {
  /**
   * Opens the first connection; rejects if that fails, and can then be called again. Idempotent. From then on a connection that ends is opened again, with
   * backoff, until `stop`.
   */
  start(options: CallOptions): Promise<void>;
  /** The current connection; `undefined` while there is none. */
  readonly connection: C | undefined;
  readonly state: ConnectionState;
  /** Why there is no connection. */
  readonly failure: Error | undefined;
  /** Closes the connection and opens no other. Idempotent. */
  stop(options: CallOptions): Promise<void>;
}
/** Makes a supervisor; it opens nothing before `start`. */
declare function createConnectionSupervisor<C extends SupervisedConnection>(options: ConnectionSupervisorOptions<C>): ConnectionSupervisor<C>;
/** What the platform has shown of itself. */
interface ConnectionEvidence {
  /** When something last arrived from the platform, in milliseconds since the epoch. */
  readonly evidenceAtMs?: number | undefined;
  /** What an open connection lacks, for people: the account is degraded. */
  readonly missing?: string | undefined;
}
/** The health of an account by the state of its supervisor. While there is no connection after a failure, the detail is its message. */
declare function connectionHealth({ state, failure }: Pick<ConnectionSupervisor<SupervisedConnection>, "state" | "failure">, { evidenceAtMs, missing }?: ConnectionEvidence): ChannelHealth;
/** The names of a platform's emoji. */
interface EmojiNames {
  /** The name of an emoji, whatever its skin tone; a name, with or without colons, stays as it is. `undefined` if there is none. */
  nameOf(emoji: string): string | undefined;
  /** The emoji of a name, with or without colons, without its skin tone; `undefined` for a name that is not in the table, such as one of a workspace's own. */
  emojiOf(name: string): string | undefined;
}
/**
 * Creates the table with the names that most chat platforms share (those of emoji-data). `own`: names of the platform that differ or are missing there, each
 * with its emoji; they win. The first of several names of an emoji is the one that `nameOf` returns.
 */
declare function createEmojiNames(own?: Readonly<Record<string, string>>): EmojiNames;
/** A platform's errors, as tables. */
interface ErrorTables {
  /** What the platform's codes mean. A code without a row is classified by the status, else as `rejected`. */
  readonly codes: Readonly<Record<string, ChannelErrorCode>>;
  /** Codes of failures after which the request may have been carried out; `unreachable` for everything but sends. */
  readonly maybeDone?: readonly string[];
  /** What statuses under 500 mean, in place of `HTTP_STATUSES`. */
  readonly statuses?: Readonly<Record<number, ChannelErrorCode>>;
}
/** Maps the errors of one platform. Everything but a `PlatformFailure` and a `ChannelError` is a bug, and `rejected` for good. Of a send only a bug in this process is: another failure, such as a success that cannot be read, may have shown the message. */
interface ErrorClassifier {
  /** For everything but sends. A `ChannelError` stays as it is. */
  readonly toChannelError: (error: unknown) => ChannelError;
  /** For sends. */
  readonly toReceipt: (error: unknown) => SendReceipt;
  /** For cached lookups. */
  readonly toLookupFailure: (error: unknown) => LookupFailure;
  /** True if it is unknown whether the request was carried out: no readable response, a status from 500, a code of `maybeDone`. */
  readonly mayBeDone: (error: unknown) => boolean;
}
/** What statuses under 500 mean; others are `rejected`. */
declare const HTTP_STATUSES: Readonly<Record<number, ChannelErrorCode>>;
/** Creates the classifier of one platform. */
declare function createErrorClassifier({ codes, maybeDone, statuses }: ErrorTables): ErrorClassifier;
/** The delay that a response asks for, by the first of the headers it has, as a number of seconds; `undefined` without one. Milliseconds. */
declare function retryAfterMs(headers: Headers, names?: readonly string[]): number | undefined;
/** A complete response. */
interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
/** Limits of one request. */
interface HttpLimits extends CallOptions {
  /** Milliseconds until the response must be complete; 15,000 by default. */
  readonly timeoutMs?: number;
  /** Bytes of the response; 4 MiB by default. */
  readonly maxBytes?: number;
  /** A larger response is no failure and counts as empty: its status alone decides, as after a send. */
  readonly dropsLargeBody?: boolean;
}
/** One HTTP request, not repeated. Resolves with a response of any status; rejects with a `PlatformFailure`. */
type HttpClient = (url: string | URL, init: RequestInit, limits: HttpLimits) => Promise<HttpAnswer>;
/** How a client behaves. */
interface HttpClientOptions {
  /** Name of the platform, for messages. */
  readonly platform: string;
  /** A redirect is a response of its own (by default) or a failure; none is followed, since the request has a secret. */
  readonly redirect?: "manual" | "error";
}
/** Creates a client on the host's `fetch`: each request has a time limit and a limit on its response, and tells a refused connection from silence. */
declare function createHttpClient({ fetch: fetchNow, clock }: Pick<ChannelHost, "fetch" | "clock">, { platform, redirect }: HttpClientOptions): HttpClient;
/** Escapes a text for HTML, also for an attribute in double quotes. */
declare function escapeHtml(text: string): string;
/**
 * A failure, or the text of one, as one line for status: the issues of a validator, which can be dozens of lines, become the first of them, with its place. The
 * log has the whole error.
 */
declare function failureLine(failure: unknown): string;
/** A key within a platform's limit: the key itself, or its hash if it is too long. The same key always gives the same one. */
declare function fitKey(key: string, maxLength: number): string;
/** The acknowledgement that a platform expects of a command or a pressed button. */
interface InteractionDeadlineOptions {
  readonly clock: Pick<Clock, "schedule">;
  /** Milliseconds after which the acknowledgement is due: less than the platform waits. */
  readonly deadlineMs: number;
  /** Called if storing fails after the acknowledgement: the platform does not deliver it again, so the person has to be notified by a follow-up. */
  readonly onLateFailure: (error: unknown) => void;
}
/** When the acknowledgement may be sent: the result of storing, or that the deadline came first. */
type Acknowledgement<T> = {
  readonly type: "stored";
  readonly result: T;
} | {
  readonly type: "due";
};
/**
 * Resolves once, when an interaction is to be acknowledged: as soon as it is stored, or at the deadline. What comes later is sent as a follow-up. Rejects if
 * storing fails before that: do not acknowledge.
 */
declare function meetDeadline<T>(stored: Promise<T>, options: InteractionDeadlineOptions): Promise<Acknowledgement<T>>;
/**
 * True for failures in this process: a bug, an invalid argument, a missing module, an unreadable file. The same call always fails in the same way, so a retry is useless. False
 * for everything that the network or the other side may have caused. The cause of an error decides if it has a code.
 */
declare function isLocalError(error: unknown): boolean;
/** Runs tasks of one key in sequence, tasks of different keys in parallel. */
interface KeyedQueue {
  /** Starts `task` once all earlier tasks of `key` have settled, and settles like it. A failed task does not block the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves once no task is left, including those added while waiting. */
  idle(): Promise<void>;
}
/** A queue that holds no state for a key without tasks. */
declare function createKeyedQueue(): KeyedQueue;
/**
 * What is known after an exception of a request or connection. `local`: it failed in this process, and the same call fails again. `not-sent`: there was no
 * connection, so nothing arrived. `unknown`: it may have arrived.
 */
type NetworkFailure = "local" | "not-sent" | "unknown";
/** Classifies an exception of `fetch` or a socket, by the code of the error or of its causes. */
declare function networkFailureOf(error: unknown): NetworkFailure;
/** The first `code` of an error and its causes; empty if there is none. */
declare function errorCodeOf(error: unknown): string;
/** Why a request to a platform failed. */
type PlatformFailureReason = {
  readonly type: "refused";
  /** Its own code for the reason; numbers as text. */
  readonly code: string;
  /** Status of the response, if it says more than that there is one. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** Set if the app lacks a permission: those of which one would do, empty if the platform names none. */
  readonly scopes?: readonly string[];
} | {
  readonly type: "http";
  readonly status: number;
  readonly retryAfterMs?: number;
} | {
  readonly type: "local";
} | {
  readonly type: "not-sent";
} | {
  readonly type: "no-answer";
};
/** The rejection of a request to a platform. Its message contains no secret and no text of a message. */
declare class PlatformFailure extends Error {
  readonly reason: PlatformFailureReason;
  constructor(reason: PlatformFailureReason, message: string, options?: ErrorOptions);
}
/** The failure inside an error of an SDK, which wraps what its `fetch` rejects with: as `cause`, `original` or `error`. */
declare function platformFailureIn(error: unknown): PlatformFailure | undefined;
/** The value of a JSON text, or of its bytes as UTF-8; `undefined` for anything else, and for what is nested too deeply. */
declare function parseJson(json: string | Uint8Array): unknown;
/** The same for an object alone. */
declare function parseJsonObject(json: string | Uint8Array): Record<string, unknown> | undefined;
/**
 * What a channel itself wrote as JSON, such as the data of a reply context, the reference of a file, or a cursor. `undefined` for none, and for a text that the
 * schema, such as one of zod, refuses: it comes from another channel or an earlier version.
 */
declare function parseOwn<Value>(json: string | undefined, schema: {
  safeParse(value: unknown): {
    readonly data?: Value | undefined;
  };
}): Value | undefined;
/** A request that a webhook refuses. */
interface RefusedRequest {
  readonly status: 400 | 401;
  readonly reason: string;
  /** True if the platform signed it, so the setup is wrong; otherwise anyone may have sent it. */
  readonly signed: boolean;
}
/** The health of a webhook. Requests that anyone can send are not a problem: they are a hint until the platform has sent one valid request. */
interface WebhookHealth {
  /** The platform has proved itself. */
  recordVerified(): void;
  /** Logs a signed request each time, others once until the next verified one. */
  recordRefused(request: RefusedRequest): void;
  /** Sets the current problem; undefined if there is none any more. */
  setTrouble(trouble: string | undefined): void;
  read(): ChannelHealth;
}
/** Creates the health of a webhook without requests. `hint`: what people should check while no verified request has arrived. */
declare function createWebhookHealth(host: Pick<ChannelHost, "clock" | "logger">, { hint }: {
  readonly hint: string;
}): WebhookHealth;
/** The result of verifying a request. */
type VerifiedRequest<Event> = {
  readonly type: "answer";
  readonly response: Response;
} | {
  readonly type: "event";
  readonly event: Event;
} | ({
  readonly type: "refused";
} & RefusedRequest);
/** The outcome of a genuine event. */
type EventOutcome = {
  readonly type: "accepted" | "duplicate";
} | {
  readonly type: "other-account";
} | {
  readonly type: "ignored";
  readonly reason: string;
} | {
  readonly type: "unreadable";
  readonly reason: string;
};
/** The platform's part of a webhook. */
interface WebhookReceiverOptions<Event> {
  readonly host: Pick<ChannelHost, "clock" | "logger" | "random">;
  /** What people should check while no verified request has arrived. */
  readonly hint: string;
  readonly maxBytes: number;
  /** True for a request with signature headers; the signature itself is verified on the complete body. */
  readonly hasSignature: (headers: Headers) => boolean;
  /** Requests without signature headers: larger ones get `refusal`. With 0 bytes, because the platform signs everything, none is read. */
  readonly unsigned: {
    readonly maxBytes: number;
    readonly refusal: RefusedRequest;
  };
  /** Verifies the raw bytes, and parses them only then. */
  readonly verify: (body: Uint8Array, headers: Headers) => VerifiedRequest<Event>;
  /** Passes an event on; resolves after the commit. Rejects if it was not stored. */
  readonly accept: (event: Event, options: CallOptions) => Promise<EventOutcome>;
  /** Asks the platform whether the credentials are right; rejects with a ChannelError. */
  readonly check: (options: CallOptions) => Promise<unknown>;
  /** The log level of ignored events: `debug` where the platform sends many of them. */
  readonly ignoredLevel: "debug" | "info";
  /** Headers of a refusal for good, which the platform need not send again. */
  readonly refusalHeaders?: Readonly<Record<string, string>>;
}
/** A webhook of one account. */
interface WebhookReceiver {
  /**
   * As `Channel.start`: rejects with wrong credentials. An unreachable platform is a problem in the health until it can be reached, and no reason to refuse its
   * events.
   */
  start(options: CallOptions): Promise<void>;
  /** As `Channel.handleWebhook`. */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  /** Refuses all further requests for now. */
  stop(): Promise<void>;
}
/** Creates a webhook that verifies before it parses, and acknowledges an event after its commit. */
declare function createWebhookReceiver<Event>(options: WebhookReceiverOptions<Event>): WebhookReceiver;
/** One answer of the platform. */
interface PollAnswer<Event> {
  /** In order. `cursor`: the position behind the event; omitted if only the whole answer has one. */
  readonly events: readonly {
    readonly event: Event;
    readonly cursor?: string;
  }[];
  /** The position behind all events; that of the last event by default. */
  readonly cursor?: string;
}
/** How a platform is polled. */
interface PollerOptions<Event> {
  readonly host: Pick<ChannelHost, "clock" | "commit" | "cursor" | "logger" | "random">;
  /** Asks the platform whether the credentials are right, before the first poll of a connection; rejects if it cannot be reached. */
  readonly check: (options: CallOptions) => Promise<unknown>;
  /** Asks for the events behind the cursor; a long poll is answered when there is one. The platform keeps them until it is asked with a later cursor. */
  readonly poll: (cursor: string | undefined, options: CallOptions) => Promise<PollAnswer<Event>>;
  /**
   * Passes one event on, or the parts of an album, in order; `progress` is committed with it. Resolves after the commit. Rejects if it was not stored: it is
   * asked for again.
   */
  readonly accept: (events: readonly Event[], progress: AccountProgress, options: CallOptions) => Promise<EventOutcome>;
  /**
   * Albums, whose parts are events of their own: `keyOf` names the album of an event. An answer that has one is asked for again after `waitMs` until no more
   * events arrive, so that it is complete.
   */
  readonly albums?: {
    readonly keyOf: (event: Event) => string | undefined;
    readonly waitMs: number;
  };
}
/** Long polling of one account. */
interface Poller {
  /** Resolves after `check`; rejects like it. Idempotent. From then on the platform is polled until `stop`, after failures with backoff. */
  start(options: CallOptions): Promise<void>;
  health(): ChannelHealth;
  /** Ends the poll; resolves when the event that is being stored is, or the signal has fired. */
  stop(options: CallOptions): Promise<void>;
}
/** Creates a poller: one poll at a time, and none before the events of the last one are stored with their cursor. */
declare function createPoller<Event>(options: PollerOptions<Event>): Poller;
/**
 * Races work against an abort signal and rejects with the signal's reason once it fires. The work goes on for its other callers; a late result is discarded. No
 * listener is left on the signal, which may live as long as the channel.
 */
declare function raceAbort<T>(work: Promise<T>, { signal }: CallOptions): Promise<T>;
/** Limits of an account's sends. */
interface RateLimiterOptions {
  /** Sends that may follow each other at once. */
  readonly burst: number;
  /** Milliseconds until one more may follow. */
  readonly intervalMs: number;
  readonly clock: Pick<Clock, "monotonic" | "schedule">;
}
/** A token bucket: `burst` sends at once, then one every `intervalMs`. */
interface RateLimiter {
  /** Resolves once `cost` more may be sent, 1 by default, in the order of the calls; a cost over `burst` waits for a full bucket. Rejects if the signal fires first. */
  take(options: CallOptions & {
    readonly cost?: number;
  }): Promise<void>;
}
/** Starts with a full bucket. */
declare function createRateLimiter({ burst, intervalMs, clock }: RateLimiterOptions): RateLimiter;
/** The result of reading. */
type CappedBody = {
  readonly type: "body";
  readonly bytes: Uint8Array;
} | {
  readonly type: "too-large";
};
/** Reads the body of a request or a response, at most `maxBytes`. A larger one is cancelled and discarded. Rejects if the signal fires or the body breaks off. */
declare function readBodyCapped(message: Request | Response, options: {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}): Promise<CappedBody>;
/** Why something failed, for a log line: the message of an error, or `unknown`. */
declare function reasonOf(failure: unknown): string;
/** Limits of a queue. */
interface ReceiveQueueOptions {
  /** Messages kept at most, including the one that is being stored; 1,000 by default. Later ones are lost, and counted in the health. */
  readonly maxWaiting?: number;
}
/** Passes messages to the gateway for a platform that delivers each of them once. */
interface ReceiveQueue {
  /** Passes a message on after all earlier ones, again with backoff until it is stored. */
  add(message: MsgContext, progress?: AccountProgress): void;
  /** The health with what waits or was lost: then at least `degraded`. */
  addTo(health: ChannelHealth): ChannelHealth;
  /** Accepts no more. Resolves once everything is stored, or the signal has fired: the rest is lost, and logged. Idempotent. */
  stop(options: CallOptions): Promise<void>;
}
type QueueHost$1 = Pick<ChannelHost, "receive" | "clock" | "random" | "logger">;
/**
 * Makes a queue in memory: one call of `receive` at a time, in order. A message over a limit of the contract (RangeError) can never be stored: it is dropped and
 * logged. Every other failure is retried, since the platform will not deliver the message again.
 */
declare function createReceiveQueue(host: QueueHost$1, { maxWaiting }?: ReceiveQueueOptions): ReceiveQueue;
/** What the requests of an SDK get in addition. */
interface SdkFetchOptions extends HttpLimits {
  /** Called with each response before the SDK gets it. What it throws is the result of the request, such as a failure that the SDK would repeat or hide. */
  readonly inspect?: (answer: HttpAnswer) => void;
}
/**
 * A `fetch` for an SDK, on a client: its requests have the client's limits and failures, and end with its own signal or the given one. Accepts what SDKs pass
 * beyond the standard: signals of another implementation, streams without `duplex`, options of other HTTP libraries (dropped).
 */
declare function createSdkFetch(http: HttpClient, { signal, inspect, ...limits }: SdkFetchOptions): typeof fetch;
/** How the messages of one text are sent. */
interface SendInPartsOptions<Part> extends CallOptions {
  readonly clock: ChannelHost["clock"];
  /** Sends one part; `index` counts from 0. Called a second time for a part that the platform's rate limit refused. */
  readonly send: (part: Part, index: number) => Promise<MessageId>;
}
/**
 * Sends a text that takes several messages, one after the other. Rejects with the failure of the first part: nothing is shown. Later parts wait once each for
 * the platform's rate limit, up to 30 s; if one fails, the receipt is ambiguous and the rest is not sent.
 */
declare function sendInParts<Part>(parts: readonly Part[], { clock, send, signal }: SendInPartsOptions<Part>): Promise<SendReceipt>;
/** Limits of a text. */
interface TextBounds {
  readonly maxLength: number;
  /** Defaults to `utf16`. */
  readonly unit?: TextUnit;
  /** True for a caption, which a file does not need. */
  readonly mayBeEmpty?: boolean;
}
/** Limits of the files of one message. */
interface FileBounds {
  /** Of each file. */
  readonly maxBytes: number;
  /** Defaults to 1. */
  readonly maxFiles?: number;
}
type Rejection = SendReceipt & {
  readonly type: "rejected";
};
/** Why a text cannot be sent, for good: it is blank or too long. `undefined` if it can. */
declare function textProblem(text: string, { maxLength, unit, mayBeEmpty }: TextBounds): Rejection | undefined;
/** Why files cannot be sent as one message, for good: there are none or too many, or one is empty or too large. `undefined` if they can. */
declare function filesProblem(files: readonly Pick<Media, "bytes">[], { maxBytes, maxFiles }: FileBounds): Rejection | undefined;
/** One send of an adapter. */
interface QueuedSend extends CallOptions {
  /** Sends of one key never overlap. */
  readonly key: string;
  readonly outbound: Outbound;
}
/** The order of an account's sends, and their end. */
interface SendQueue {
  /**
   * Runs `task` after all earlier sends of the key, a sign of typing at once, which would be late behind a message; the signal of its options also fires when the queue gives up. Never rejects: a failure is logged and mapped
   * to a receipt, and a send that has not begun when its signal fires or the queue stops is rejected as unreachable.
   */
  run(send: QueuedSend, task: (options: CallOptions) => Promise<SendReceipt>): Promise<SendReceipt>;
  /** Accepts no further sends; resolves when those that have begun have a result, or gave up because the signal fired. */
  stop(options: CallOptions): Promise<void>;
}
/** Creates an empty queue. `toReceipt` maps what a task rejects with. */
declare function createSendQueue({ logger }: Pick<ChannelHost, "logger">, { toReceipt }: {
  readonly toReceipt: (error: unknown) => SendReceipt;
}): SendQueue;
/** The receipt of a send that was not made. Without `retry` another attempt would fail the same way. */
declare function rejectedReceipt(code: ChannelErrorCode, message: string, retry?: "never" | "backoff"): SendReceipt & {
  readonly type: "rejected";
};
/**
 * The sending half of a channel. `stop` accepts no further sends and resolves when those that have begun have a result, or were abandoned because the signal
 * fired.
 */
type Sender = Pick<Channel, "send" | "stop">;
/** The type of bytes, regardless of their name. */
interface SniffedMedia {
  readonly kind: MediaKind;
  /** Without parameters. */
  readonly mimeType: string;
  /** File extension, without a dot; letters and digits. */
  readonly extension: string;
}
/** Detects the type from the bytes. Declared type and file name do not matter. */
declare function sniffMedia(bytes: Uint8Array): Promise<SniffedMedia>;
/** What a queue of this kind holds, and how much of it. */
interface StoreQueueOptions {
  /** One of them in log lines: `message`, `discord event`. */
  readonly noun: string;
  /** Kept at most, including the one that is being stored. */
  readonly maxWaiting: number;
}
/** Stores what a platform sent, one at a time and in order, each again with backoff until it is stored. The core of `ReceiveQueue`. */
interface StoreQueue {
  /** Everything in it, including the one that is being stored. */
  readonly size: number;
  /** How many wait because storing has failed; 0 while it works. */
  readonly waiting: number;
  /** Dropped since the start because they exceed a limit of the contract. */
  readonly lost: number;
  /** True if nothing more is accepted now: `maxWaiting` is reached, or the queue is stopped. */
  readonly isClosed: boolean;
  /**
   * Adds one. `store` gets the number of failed attempts so far, and is called again after each failure, except a RangeError: over a limit of the contract, it
   * can never be stored. Resolves once it is stored; rejects if it is dropped, or not accepted.
   */
  add(store: (attempt: number) => Promise<unknown>): Promise<void>;
  /** Drops all but the one that is being stored. */
  dropWaiting(reason: Error): void;
  /** Accepts no more. Resolves once everything is stored, or the signal has fired, with the number of dropped ones. Idempotent. */
  stop(options: CallOptions): Promise<number>;
}
type QueueHost = Pick<ChannelHost, "clock" | "random" | "logger">;
/** Creates an empty queue. */
declare function createStoreQueue(host: QueueHost, options: StoreQueueOptions): StoreQueue;
/** Counts verified events that were lost because they do not have the form of a message, for log and status. */
interface UnreadableEvents {
  /** Counts and logs one; `reason` must not contain text of the message. */
  record(reason: string): void;
  /** The health with the count in its detail. The state stays: the connection works. */
  addTo(health: ChannelHealth): ChannelHealth;
}
/** Starts at zero. */
declare function createUnreadableEvents({ logger }: Pick<ChannelHost, "logger">): UnreadableEvents;
/** Compares two secrets or signatures in constant time with respect to where they differ and to their lengths. */
declare function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean;
/** Which signed timestamps count as fresh. */
interface TimestampOptions {
  /** The current time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Maximum distance into the past or the future, milliseconds; 300,000 by default. */
  readonly toleranceMs?: number;
}
/** True if a timestamp in whole seconds, as webhooks sign it, is close to the current time. Anything but plain digits is not fresh. */
declare function verifyTimestamp(seconds: string | null | undefined, options: TimestampOptions): boolean;
/** The health of an account with the number of events that wait to be stored (0 unless storing has failed) and of those lost since the start. */
declare function addUnstored(health: ChannelHealth, { waiting, lost }: {
  readonly waiting: number;
  readonly lost: number;
}): ChannelHealth;
/** What the handlers of a connection can do with it. After its end nothing has an effect. */
interface SocketControl {
  send(data: string): void;
  /** The platform has accepted the connection. Only with `awaitsReady`. */
  ready(): void;
  /** Ends the connection, such as after a refusal in a message. */
  end(failure: Error): void;
}
/** A connection and its protocol. */
interface WebSocketOptions extends CallOptions {
  readonly url: string;
  /** Name of the platform, for messages. */
  readonly platform: string;
  readonly clock: Pick<Clock, "schedule">;
  /** Called once the transport is open, such as to log in. */
  readonly onOpen?: (socket: SocketControl) => void;
  /** Called with each message in order; text as a string. Must not throw. */
  readonly onMessage: (data: string | Uint8Array, socket: SocketControl) => void;
  /** The connection is open only once `ready` is called, and not already with its transport. */
  readonly awaitsReady?: boolean;
  /** Milliseconds until the connection must be open; 15,000 by default. */
  readonly openTimeoutMs?: number;
  /** A connection without a message for two intervals has ended. `ping` makes the message that the platform answers, if it sends none by itself. */
  readonly heartbeat?: {
    readonly intervalMs: number;
    readonly ping?: () => string;
  };
  /** Code of the channel's own close, 3000 to 4999, on platforms where it decides whether a session can be resumed. None by default. */
  readonly closeCode?: number;
  /** What the platform's close codes mean; others as `CLOSE_CODES`. */
  readonly closeCodes?: Readonly<Record<number, ChannelErrorCode>>;
}
/** An open connection, for a supervisor. `ended` resolves with a ChannelError. */
interface WebSocketConnection extends SupervisedConnection {
  send(data: string): void;
}
/** What close codes mean on every platform; others are `unreachable`. */
declare const CLOSE_CODES: Readonly<Record<number, ChannelErrorCode>>;
/**
 * Opens a connection with the WebSocket of the runtime. Rejects with a ChannelError if it does not open in time, the signal fires, or the platform closes it
 * before; and with the failure of `end`. Pings of the transport are answered by the runtime and are no sign of life here.
 */
declare function openWebSocket(options: WebSocketOptions): Promise<WebSocketConnection>;
/** A part of a text that is shown in its own way. A dialect says how, by type. */
type Span = {
  readonly type: "paragraph" | "quote" | "strong" | "emphasis" | "strikethrough";
} | {
  readonly type: "heading";
  readonly depth: 1 | 2 | 3 | 4 | 5 | 6;
} | {
  readonly type: "code";
  readonly backticks: number;
  readonly padded: boolean;
} | {
  readonly type: "code-block";
  readonly language?: string;
  readonly backticks: number;
} | {
  readonly type: "link";
  readonly url: string;
  readonly bare?: "full" | "short";
} | {
  readonly type: "image";
  readonly url: string;
} | {
  readonly type: "list";
  readonly start?: number;
} | {
  readonly type: "item";
  readonly level: number;
  readonly number?: number;
  readonly checked?: boolean;
} | {
  readonly type: "table";
  readonly columns: readonly CellAlign[];
} | {
  readonly type: "row";
  readonly head?: readonly CellAlign[];
} | {
  readonly type: "cell";
  readonly head: boolean;
  readonly align: CellAlign;
};
/** Alignment of a table column. */
type CellAlign = "left" | "center" | "right" | "none";
/** Where a text continues: on the next line of the same block, directly below with the next block, or after an empty line. */
type BreakKind = "line" | "block" | "paragraph";
/** One step of a text in reading order. Spans nest. Texts have neither line ends nor control characters, and never follow each other directly. */
type Piece = {
  readonly type: "enter";
  readonly span: Span;
} | {
  readonly type: "exit";
} | {
  readonly type: "text";
  readonly text: string;
} | {
  readonly type: "break";
  readonly kind: BreakKind;
} | {
  readonly type: "rule";
};
/** What kind of text is escaped: running text, the label of a link, an address that stands for itself, code in a line, a code block. */
type Content = "text" | "label" | "address" | "code" | "code-block";
/** Where a text is put. */
interface Place {
  readonly content: Content;
  readonly inCell: boolean;
  /** True if only block markup is in front of it on its line. */
  readonly lineStart: boolean;
  /** The character of the output in front of it; empty at the start of a line or a style. */
  readonly before: string;
  /** What stands behind it, text or markup: at least the first character, a line feed at the end. */
  readonly after: string;
}
/** The markup of one span. */
interface Frame {
  /** `block` markup stands at line starts; `style` markup stands in a line, directly at visible characters. */
  readonly type: "block" | "style";
  readonly open: string;
  readonly close: string;
  /** In front of each further line. */
  readonly prefix?: string;
  /** What replaces `open` and `prefix` in a message that begins within the span. */
  readonly continued?: {
    readonly open: string;
    readonly prefix: string;
  };
  /** True if its lines have no prefix, not that of the spans around it either. */
  readonly isUnindented?: boolean;
  /** Content of the span; that of the span around it by default. */
  readonly content?: Content;
  readonly isCell?: boolean;
  /** Of frames with one key only the outermost is used. */
  readonly key?: string;
  /** True if it is used even when the span is empty. */
  readonly eager?: boolean;
  /** True if no style may be open around it. */
  readonly exclusive?: boolean;
  /** True if the markup is text that readers see, such as a bullet. */
  readonly visible?: boolean;
  /** Text to put behind the content. */
  readonly after?: string;
}
/** The neighbours of a style's delimiter. */
interface Junction {
  readonly delimiter: string;
  /** The character on the side of the style; empty if that does not matter. */
  readonly inner: string;
  /** The character on the other side, or the delimiter of a style that ended there (`isClosed`); empty at the start of a line or of another style. */
  readonly outer: string;
  readonly isClosed: boolean;
}
/** Zero-width spaces that a delimiter needs on its sides. */
interface Joint {
  readonly inside?: boolean;
  readonly outside?: boolean;
}
/** One way to write styled text: the table of its markup. */
interface Dialect {
  /** Tables with the spans `table`, `row` and `cell`, or as code blocks. */
  readonly tables: "native" | "code";
  /** A line across. */
  readonly rule: string;
  /** The line ends of each kind of break. */
  readonly breaks: Readonly<Record<BreakKind, string>>;
  /** The markup of a span; `undefined` if the dialect has none and shows the content alone. */
  frame(span: Span): Frame | undefined;
  /** Escapes a part of a line, so that it is read back as `text`. Zero-width spaces may be added. */
  escape(text: string, place: Place): string;
  /** Adapts the pieces of a whole text, such as styles that the platform would not recognise. */
  readonly adapt?: (pieces: readonly Piece[]) => readonly Piece[];
  /** White space at the start of a line; dropped without it. */
  readonly indent?: (space: string, options: {
    readonly paragraphStart: boolean;
  }) => string;
  /** Matches the beginning of each text that would notify people; a zero-width space is put behind the match. Needs the flag `g`. */
  readonly mentions?: RegExp;
  /** Says where a delimiter needs zero-width spaces to work. */
  readonly join?: (junction: Junction) => Joint;
  /** True if a style ends with its line. */
  readonly stylesEndWithLine?: boolean;
  /** What limits count: the output (by default), or the text that it shows. */
  readonly counts?: "output" | "text";
}
/** How a platform's variant differs. */
interface AsteriskMarkupOptions {
  /**
   * `angle`: links are `<address|text>`, and `&`, `<`, `>` are written as entities. `text`: the address stands behind its text, and nothing is an entity.
   */
  readonly links: "angle" | "text";
  /** Matches the beginning of each text that would notify people; it is broken up. Needs the flag `g`. */
  readonly mentions?: RegExp;
}
/**
 * The markup of chat platforms with one asterisk for bold: `*bold*`, `_italic_`, `~struck~`, backticks, `> quote`. Styles end with their line and begin and end
 * at words. There is no escape character: where a delimiter that is meant literally could work, a zero-width space takes its place at a word. A style that begins or ends
 * with one is left out.
 */
declare function asteriskMarkup({ links, mentions }: AsteriskMarkupOptions): Dialect;
/**
 * Text with control codes that switch styles on and off and end with their line, as terminals of old chat networks show it. For networks with one line a message
 * render with `maxLines: 1`.
 */
declare function controlCodes(): Dialect;
/** HTML for the body of a document, as in mail: paragraphs, lists and tables are elements. Images are links, so that opening it loads nothing. */
declare function htmlDocument(): Dialect;
/**
 * The tags that chat platforms take of HTML (`b`, `i`, `s`, `code`, `pre`, `a`, `blockquote`): line feeds are shown, lists are text, tables are code. Limits
 * count the text without tags. Code has no other style, and quotes are not nested.
 */
declare function htmlSubset(): Dialect;
/** How a platform's variant of Markdown differs from the contract's. All of the contract's by default. */
interface MarkdownMarkupOptions {
  /** Number of heading levels; deeper ones are written at the last, and with 0 headings are bold. 6 by default. */
  readonly headings?: number;
  readonly tables?: "native" | "code";
  /** `link` where messages cannot show an image by its address. */
  readonly images?: "native" | "link";
  /** `three` where every fence has three backticks; those in the code are broken up. `longer` by default. */
  readonly fences?: "longer" | "three";
  /** How an address that stands for itself is written: as it is (by default), or in angle brackets. */
  readonly addresses?: "raw" | "angle";
  readonly rule?: string;
  /** Matches the beginning of each text that would notify people; it is broken up. Needs the flag `g`. */
  readonly mentions?: RegExp;
}
/** Markdown as platforms take it. Without options it is the contract's: parsing the output gives the same text and spans. */
declare function markdownMarkup(options?: MarkdownMarkupOptions): Dialect;
/** What a dialect of plain text may be told. */
interface PlainTextOptions {
  /** Matches the beginning of each text that would notify people; it is broken up. Needs the flag `g`. */
  readonly mentions?: RegExp;
}
/** Text without styles: lists and quotes by their marks, addresses in brackets behind their text, tables with aligned columns. */
declare function plainText({ mentions }?: PlainTextOptions): Dialect;
/** How a text is flattened. */
interface FlattenOptions {
  /** `native`: tables are spans. `code`: they are code blocks with aligned columns. */
  readonly tables: "native" | "code";
}
/**
 * The pieces of a text in reading order: the one way from Markdown to every dialect. Links by reference are resolved, addresses that a message should not link
 * to and HTML become text (`<br>` a line end), control characters are dropped. Linear; nesting costs no stack.
 */
declare function flattenMarkdown(source: string | Root, options: FlattenOptions): readonly Piece[];
/** How a part of a text is shown. */
type EntityStyle = {
  readonly type: "strong" | "emphasis" | "strikethrough" | "code" | "quote";
} | {
  readonly type: "code-block";
  readonly language?: string;
} | {
  readonly type: "link";
  readonly url?: string;
} | {
  readonly type: "mention";
};
/** A part of a text with its style. Entities may nest and overlap, in any order. */
interface TextEntity {
  /** Start in the text, in UTF-16 units. */
  readonly offset: number;
  /** In UTF-16 units. What lies outside the text is ignored; half a surrogate pair is completed. */
  readonly length: number;
  readonly style: EntityStyle;
}
/**
 * Converts a text with entities to the contract's Markdown: parsed, it shows the same characters in the same styles. Quotes and code blocks stand in paragraphs
 * of their own. Within a code block there are no other styles, and of overlapping code blocks or links the first counts.
 */
declare function parseEntities(text: string, entities: readonly TextEntity[]): Markdown;
/**
 * Matches `@name` of one of `names` (the first group) where it is a word of its own: not in `mail@name.example`, `/@name` or `@names`. The longest name wins,
 * since one can begin with another. `undefined` without names.
 */
declare function mentionPattern(names: readonly string[]): RegExp | undefined;
/** Replaces `@name` of `names` by the result of `replacement`, as `mentionPattern` finds it outside code and addresses. */
declare function replaceMentions(pieces: readonly Piece[], names: readonly string[], replacement: (name: string) => string): readonly Piece[];
/**
 * Parses Markdown as the contract defines it (CommonMark with GitHub's extensions); `__a_name__` is no emphasis, but the name. Every text is valid; one nested too deeply becomes a paragraph of literal
 * text. Time is linear: a long text is parsed in parts that end between two blocks; a block of more than 8,000 characters is parsed in parts too, of which
 * those of a paragraph are joined. Marks of emphasis that would take too long to pair stay text.
 * Offsets in the tree are those of `source`.
 */
declare function parseMarkdown(source: string): Root;
/** A dialect and the limits of one message. */
interface RenderOptions {
  readonly dialect: Dialect;
  /** Maximum length of a message, in what the dialect counts; at least 32. Unlimited by default. */
  readonly maxLength?: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum lines of a message, at least 1. Unlimited by default. */
  readonly maxLines?: number;
}
/**
 * Renders Markdown, a tree of it, or pieces, in a dialect, as messages within the limits. A message that is half full ends at a paragraph, else a line, a
 * sentence or a space, else between two graphemes; spans that are open there are closed and opened again. No escape sequence or surrogate pair is cut, and a
 * grapheme only if it is longer than a message. Linear. Nothing visible gives no message. Throws a RangeError for limits below the minimum.
 */
declare function renderMarkdown(source: string | Root | readonly Piece[], options: RenderOptions): string[];
/** A text in one style. Line ends are characters of it. */
interface StyledRun {
  readonly text: string;
  readonly strong?: true;
  readonly emphasis?: true;
  readonly strikethrough?: true;
  readonly code?: true;
  /** The address that it links to. */
  readonly url?: string;
  /** True if it describes the picture at `url`. */
  readonly image?: true;
}
/** The list item that a block belongs to. `level` is 0 for the outermost list; `continued` if the item began with an earlier block. */
interface BlockItem {
  readonly level: number;
  readonly number?: number;
  readonly checked?: boolean;
  readonly continued?: true;
}
/** Where a block stands. */
interface Surroundings {
  /** Number of quotes around it. */
  readonly quoted: number;
  readonly item?: BlockItem;
}
/** A part of a message that is shown by itself, for platforms that take structures in place of markup. */
type StyledBlock = Surroundings & ({
  readonly type: "text";
  readonly runs: readonly StyledRun[];
  readonly heading?: 1 | 2 | 3 | 4 | 5 | 6;
} | {
  readonly type: "code";
  readonly text: string;
  readonly language?: string;
} | {
  readonly type: "rule";
} | {
  readonly type: "table";
  readonly rows: readonly (readonly (readonly StyledRun[])[])[];
  readonly columns: readonly CellAlign[];
});
/** Limits of one message. */
interface BlockLimits {
  /** Maximum length of the texts of a message together; at least 32. Unlimited by default. */
  readonly maxLength?: number;
  /** Unit of lengths; `utf16` by default. */
  readonly unit?: TextUnit;
  /** Maximum number of blocks in a message. Unlimited by default. */
  readonly maxBlocks?: number;
}
/**
 * Renders Markdown as blocks, in messages within the limits. Texts need no escape in them. A block that is longer than a message is cut at a line or word, a
 * table that is becomes code. Nothing visible gives no message. Throws a RangeError for limits below the minimum.
 */
declare function renderBlocks(source: string | Root, limits?: BlockLimits): StyledBlock[][];
export { type Acknowledgement, type AsteriskMarkupOptions, type BackoffOptions, type BlockItem, type BlockLimits, type BotIdentity, type BotIdentityOptions, type BreakKind, CLOSE_CODES, type CachedLookup, type CachedLookupOptions, type CappedBody, type CardRows, type CellAlign, type ChunkLimits, type ChunkOptions, type CommandMenu, type CommandRegistrar, type ConnectionEvidence, type ConnectionState, type ConnectionSupervisor, type ConnectionSupervisorOptions, type Content, type Dialect, type EmojiNames, type EntityStyle, type ErrorClassifier, type ErrorTables, type EventOutcome, type FileBounds, type FlattenOptions, type Frame, HTTP_STATUSES, type HttpAnswer, type HttpClient, type HttpClientOptions, type HttpLimits, type InteractionDeadlineOptions, type Joint, type Junction, type KeyedQueue, type LookupFailure, type MarkdownChunk, type MarkdownMarkupOptions, type MarkdownStream, type NetworkFailure, type Piece, type Place, type PlainTextOptions, PlatformFailure, type PlatformFailureReason, type PollAnswer, type Poller, type PollerOptions, type QueuedSend, type RateLimiter, type RateLimiterOptions, type ReceiveQueue, type ReceiveQueueOptions, type RefusedRequest, type RenderOptions, type SdkFetchOptions, type SendInPartsOptions, type SendQueue, type Sender, type SniffedMedia, type SocketControl, type Span, type StoreQueue, type StoreQueueOptions, type StoredButton, type StyledBlock, type StyledRun, type SupervisedConnection, type TextBounds, type TextEntity, type TextUnit, type TimestampOptions, type UnreadableEvents, type VerifiedRequest, type WebSocketConnection, type WebSocketOptions, type WebhookHealth, type WebhookReceiver, type WebhookReceiverOptions, addUnstored, asteriskMarkup, backoffDelay, chunkMarkdown, connectionHealth, constantTimeEqual, controlCodes, createBotIdentity, createBoundedMap, createCachedLookup, createCardRows, createCommandRegistrar, createConnectionSupervisor, createEmojiNames, createErrorClassifier, createHttpClient, createKeyedQueue, createMarkdownStream, createPoller, createRateLimiter, createReceiveQueue, createSdkFetch, createSendQueue, createStoreQueue, createUnreadableEvents, createWebhookHealth, createWebhookReceiver, errorCodeOf, escapeHtml, failureLine, filesProblem, fitKey, flattenMarkdown, htmlDocument, htmlSubset, isLocalError, markdownMarkup, measure, meetDeadline, mentionPattern, networkFailureOf, openWebSocket, parseEntities, parseJson, parseJsonObject, parseMarkdown, parseOwn, plainText, platformFailureIn, raceAbort, readBodyCapped, reasonOf, rejectedReceipt, renderBlocks, renderMarkdown, replaceMentions, retryAfterMs, sendInParts, sniffMedia, textProblem, verifyTimestamp };