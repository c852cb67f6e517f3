import { AccountChange, AccountProgress, AccountRow, AccountRowOptions, AccountState, AccountValue, ActionName, Channel, ChannelHost, Clock, EventType, HostCommand, HostCommands, InboundEvent, Logger, LoginStep, MsgContext, OptionalPart, Origin, Random } from "@factotum/channel-contract";
/** A message of the test; the platform's driver turns it into an event. */
interface TestMessage {
  readonly text: string;
  readonly conversation: "direct" | "group" | "thread";
  /** `self` is the bot under test. */
  readonly sender: "person" | "self" | "other-bot";
  /** From a person whose id others can take. */
  readonly isUnverified?: boolean;
  /** Mentions the bot at the end of the text. */
  readonly mentionsBot?: boolean;
  /** Mentions the person `Bob` at the end of the text. */
  readonly mentionsBob?: boolean;
  /** Replies to a message that exists on the platform. */
  readonly isReply?: boolean;
  /** Attaches these files, in this order. */
  readonly files?: readonly {
    readonly name: string;
    readonly bytes: Uint8Array;
  }[];
}
/** An event of the platform, which can be delivered repeatedly, and the expected result of parsing it. */
interface TestEvent {
  readonly raw: unknown;
  readonly expected: {
    readonly eventId: string;
    readonly messageId: string;
    readonly conversation: Origin["conversation"];
    readonly senderId: string;
    readonly timestampMs: number;
    readonly replyTo?: string;
    /** The platform's answers about the message's context; for platforms whose channel fetches them. */
    readonly context?: {
      readonly senderName: string;
      readonly subject: string;
      readonly quoted?: string;
    };
  };
}
/** Events of the platform other than messages. All but `bot-joined` happen in a group in which somebody has already sent a message. */
type TestHappening = "edit" | "delete" | "reaction" | "reaction-taken-back" | "press" | "joined" | "left" | "bot-joined" | "vote" | "receipt";
/** An event other than a message, and the expected result of parsing it. */
interface TestHappeningEvent {
  /** Delivered first, if the event is about a message. */
  readonly before?: TestEvent;
  readonly event: TestEvent;
  /** The event that the channel passes on. */
  readonly expected: InboundEvent;
  /** The message's text after an edit. */
  readonly text?: string;
}
/** Faults of a delivery. Only the first two apply to a platform with a connection. */
type DeliveryFault = "other-account" | "unknown-kind" | "signature-missing" | "signature-wrong" | "tampered" | "stale" | "early";
/** The platform's interpretation of the answer: accepted, to be redelivered, or (4xx) not authentic. */
type DeliveryAnswer = "acknowledged" | "unacknowledged" | "refused";
/** The fault of the next send. */
type SendFault = {
  readonly type: "rate-limited";
  readonly delayMs: number;
} | {
  readonly type: "server-error";
} | {
  readonly type: "forbidden";
} | {
  readonly type: "answer-lost";
} | {
  readonly type: "answer-unreadable";
} | {
  readonly type: "held";
};
/** One message as the platform shows it. */
interface ShownMessage {
  readonly messageId: string;
  readonly conversationId: string;
  /** Shown inside a thread. */
  readonly inThread: boolean;
  readonly replyTo?: string;
  /** The visible text, including markup. */
  readonly text: string;
  readonly deleted: boolean;
  /** As emoji, whatever the platform calls them. */
  readonly reactions: readonly string[];
  /** The attached file; `isVoice` if it is shown as a voice message. */
  readonly file?: {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly isVoice?: boolean;
  };
  /** Whether it notified everyone in the room. */
  readonly notifiedAll: boolean;
  /** A card, as people see it. For channels that declare `cards`. */
  readonly card?: {
    /** Everything it says besides buttons and inputs. */
    readonly text: string;
    /** Labels, in order. */
    readonly buttons: readonly string[];
    /** Ids, in order. */
    readonly inputs: readonly string[];
  };
  /** For channels that declare `polls`. */
  readonly poll?: {
    readonly question: string;
    readonly options: readonly string[];
    readonly multiple: boolean;
  };
  /** The files of an album, in order. For channels that declare `limits.filesPerMessage`. */
  readonly files?: readonly {
    readonly name: string;
    readonly bytes: Uint8Array;
  }[];
  /** The one person who sees it; everyone if absent. For channels that declare `ephemeral`. */
  readonly onlyFor?: string;
  /** It notified nobody. For channels that declare `silent`. */
  readonly silent?: boolean;
  /** An answer that still grows. For channels with native streaming. */
  readonly isGrowing?: boolean;
  readonly pinned?: boolean;
}
/** A press of a button, with the values of the card's inputs. */
interface TestPress {
  readonly messageId: string;
  readonly label: string;
  readonly inputs?: Readonly<Record<string, string>>;
}
/** The test gateway, as far as a driver may watch it. */
interface ConformanceGateway {
  /**
   * Resolves with the gateway's answer once the channel has passed on an event with this id; `failed` if it was not stored. Call it before the delivery: what was
   * passed on earlier does not count.
   */
  passedOn(eventId: string): Promise<"accepted" | "duplicate" | "failed">;
  /**
   * Events with this id are accepted and unknown to the cases. A driver sends one behind an event that the channel must not pass on, and waits for it, since
   * events are passed on in order.
   */
  disregard(eventId: string): void;
}
/**
 * The platform under the adapter: a local server that speaks the real protocol, and controls for the test. Every platform has every member; a missing feature
 * is declared in `features`, and its members are then not called.
 */
interface ConformancePlatform extends AsyncDisposable {
  /** `webhook`: the platform posts. `connection`: the adapter keeps one open, or polls. */
  readonly transport: "webhook" | "connection";
  readonly features: {
    /** It verifies a webhook's address with a challenge. */
    readonly handshake: boolean;
    /** Credentials are exchanged for tokens, which can be renewed. */
    readonly renewableToken: boolean;
    /** Bots receive each other's messages. */
    readonly otherBots: boolean;
    /** Some people have ids that others can take. */
    readonly unverifiedSenders?: boolean;
    /** Text that would notify everyone; empty if there is none. */
    readonly massMention: string;
    /** Messages can carry files. */
    readonly files: boolean;
    /**
     * Features that nearly every platform has and this one lacks: group conversations, replies to a single message, credentials that can be wrong, a network
     * connection that can break, messages of several lines, ids of sent messages, a menu of commands that a bot can set. None by default.
     */
    readonly absent?: readonly ("groups" | "replies" | "credential" | "wire" | "line-breaks" | "sent-ids" | "menu")[];
  };
  /** Strings that must never appear in a log line. */
  readonly secrets: readonly string[];
  /** Gets the gateway before the channel is created. For drivers of platforms that deliver once, which are not answered. */
  observe?(gateway: ConformanceGateway): void;
  event(message: TestMessage): TestEvent;
  /** An event other than a message. Called only for types that the channel declares in `capabilities.events`. */
  happening(what: TestHappening): TestHappeningEvent;
  /**
   * Delivers an event and resolves with the platform's interpretation of the answer. A platform that delivers once has no answer: it resolves with
   * `acknowledged` once the channel has passed the event on or failed to, which `observe` lets it wait for.
   */
  deliver(channel: Channel, event: TestEvent, options?: {
    readonly fault?: DeliveryFault;
  }): Promise<DeliveryAnswer>;
  /** Delivers bytes that are not an event. On a connection they get no answer: resolves once they are sent. */
  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer>;
  /** Lets the platform verify the address; resolves with the result. */
  handshake(channel: Channel, options: {
    readonly token: "right" | "wrong";
  }): Promise<boolean>;
  /** Breaks the connection. */
  disconnect(): void;
  /** Resolves once the adapter has connected `count` times since the start. */
  connected(count: number): Promise<void>;
  /** Connections that are open now. */
  readonly openConnections: number;
  /** Addresses for sending. `thread` is a thread of the group. `unknown` does not exist. */
  target(kind: "direct" | "group" | "thread" | "unknown"): Origin["conversation"];
  /** The messages of the channel, oldest first; a deleted one stays, marked as such. */
  readonly shown: readonly ShownMessage[];
  /** Received requests to show, change or remove a message, valid or not. */
  readonly sendRequests: number;
  /** Resolves once `count` such requests have arrived. */
  sendRequested(count: number): Promise<void>;
  failNextSend(fault: SendFault): void;
  /** From now on requests for names, groups or messages are refused: the app lacks the permission. */
  refuseReads(): void;
  release(): void;
  /** A person in the direct chat presses a button of a card that the channel sent. For channels that declare `buttons`. */
  press?(channel: Channel, press: TestPress): Promise<DeliveryAnswer>;
  /** A group continues under another address. For channels that declare the event `moved`. */
  moved?(): TestHappeningEvent;
  /** A person uses a slash command of the platform itself. For channels that declare `nativeCommands`. */
  command?(command: {
    readonly name: string;
    readonly argumentsText: string;
  }): TestEvent;
  /** A person types this text after a command of the platform that takes other commands and messages, if it has one. */
  commandOrText?(text: string): TestEvent;
  /** Ids of the conversations in which the bot was shown as typing, oldest first. For channels that declare `typing`. */
  typing?(): readonly string[];
  /** Names of the commands in the platform's menu. For channels that declare `nativeCommands`, unless `features.absent` names the menu. */
  menu?(): readonly string[];
  /** Resolves once the menu has been set `count` times since the start. */
  menuSet?(count: number): Promise<void>;
  /** A person and a group that the platform's directory has. For channels that declare `directory`, or the action `member-info`. */
  readonly directory?: {
    readonly person: {
      readonly id: string;
      readonly name: string;
    };
    readonly group: {
      readonly id: string;
      readonly name: string;
    };
  };
  /** Does what a step of a login asks for. For channels that declare `login`. */
  followLogin?(step: LoginStep): Promise<void>;
  /** Stores an event that happens while no connection is open. For channels whose `inbound.delivery` is `resumes`. */
  keep?(event: TestEvent): void;
  /** Stops listening at the platform's address. */
  shutDown(): Promise<void>;
  /** Revokes all issued tokens; the credential stays valid. */
  revokeTokens(): void;
}
/** What an adapter's test file provides. */
interface ConformanceOptions<P extends ConformancePlatform = ConformancePlatform> {
  /** Starts a fresh platform. */
  readonly platform: () => Promise<P>;
  /** Creates the channel under test for that platform; with `credential: "wrong"` the platform refuses it. */
  readonly create: (input: {
    readonly platform: P;
    readonly host: ChannelHost;
    readonly credential: "right" | "wrong";
  }) => Channel;
  /** The channel's id in addresses. */
  readonly channel: string;
  /** Requirements that this platform cannot show, by id, each with the reason. At most a third of all. */
  readonly excluded?: Readonly<Record<string, string>>;
}
/** An account's state in memory, with the limits of the contract. */
declare class MemoryAccountState implements AccountState {
  #private;
  constructor(now?: () => number);
  /** Keys of the rows that are marked as secret. */
  get secretKeys(): readonly string[];
  get(key: string): Promise<AccountValue | undefined>;
  list(prefix: string): Promise<readonly AccountRow[]>;
  set(key: string, value: AccountValue, options?: AccountRowOptions): Promise<void>;
  delete(key: string): Promise<void>;
  /** Applies all changes or none; throws a RangeError over a limit. */
  apply(changes: readonly AccountChange[]): void;
}
/** A test gateway: it keeps its state when the channel is created again, and can be told to fail. */
declare class TestHost implements ChannelHost, ConformanceGateway {
  #private;
  readonly accountId = "second";
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  /** Every log line, as JSON. */
  readonly logLines: string[];
  readonly logger: Logger;
  /** Messages passed in, including duplicates. */
  readonly received: MsgContext[];
  /** Stored messages. */
  readonly stored: MsgContext[];
  readonly state: MemoryAccountState;
  readonly webhookUrl: string | undefined;
  readonly commands: HostCommands;
  /** Real time, randomness and network by default. */
  constructor(given?: Partial<Pick<ChannelHost, "clock" | "random" | "fetch">>);
  /** The files at public addresses. */
  readonly publicFiles: Map<string, Uint8Array>;
  fetchPublic(url: string, { maxBytes }: {
    readonly maxBytes: number;
  }): Promise<Uint8Array>;
  /** What `admits` answers. */
  isAdmitted: boolean;
  admits(): boolean;
  receive(message: MsgContext, progress?: AccountProgress): Promise<"accepted" | "duplicate">;
  commit(progress: AccountProgress): Promise<void>;
  /** Replaces the slash commands and tells the channel. */
  setCommands(commands: readonly HostCommand[]): void;
  cursor(): Promise<string | undefined>;
  /** The next call of `receive` or `commit` rejects. */
  failNext(): void;
  /** Calls of `receive` and `commit` wait until the returned function is called. */
  hold(): () => void;
  passedOn(eventId: string): Promise<"accepted" | "duplicate" | "failed">;
  disregard(eventId: string): void;
  /** Resolves once `count` messages were passed in. */
  handedOver(count: number): Promise<void>;
  /** Resolves once `count` messages are stored. */
  storedMessages(count: number): Promise<void>;
}
/** Platform features that a case requires. */
type Need = "webhook" | "connection" | "handshake" | "renewable-token" | "other-bots" | "unverified-senders" | "mass-mention" | "files" | "groups" | "replies" | "credential" | "wire" | "line-breaks" | "redelivery" | "once" | "threads" | "markdown" | "line-limit" | "edit" | "media" | "captions" | "voice-messages" | "typing" | "delete" | "reactions" | "idempotent-send" | "context" | "cards" | "buttons" | "forms" | "card-edits" | "polls" | "albums" | "ephemeral" | "silent" | "stream" | "native-commands" | "menu" | "command-or-text" | "resumes" | "cursor" | "reply-context" | OptionalPart | ActionNeed | EventNeed;
/** The channel declares this action. */
type ActionNeed = `act-${ActionName}`;
/** The channel passes on events of this type. */
type EventNeed = `event-${Exclude<EventType, "message">}`;
/** One requirement, as data. */
interface ConformanceRequirement {
  /** `area:rule`; never reused for another rule. */
  readonly id: string;
  readonly needs: readonly Need[];
  /** The correct behaviour. */
  readonly behaviour: string;
}
/**
 * Registers one test per requirement. Call it at the top level of an extension's `conformance.test.ts`, once for each transport. A requirement is skipped if
 * the adapter does not declare its needs, the platform lacks them, or it is excluded.
 */
declare function channelConformance<P extends ConformancePlatform>(name: string, options: ConformanceOptions<P>): void;
/** Every requirement, in the order in which they run. */
declare const CONFORMANCE_REQUIREMENTS: readonly ConformanceRequirement[];
/** The outcome of one requirement. */
type ConformanceOutcome = {
  readonly type: "passed";
} | {
  readonly type: "not-needed";
  readonly missing: readonly Need[];
} | {
  readonly type: "failed";
  readonly error: unknown;
};
/** Tests one requirement on an adapter, in a fresh environment. Never rejects. */
declare function proveRequirement(id: string, options: ConformanceOptions, settings: {
  readonly timeoutMs: number;
}): Promise<ConformanceOutcome>;
export { CONFORMANCE_REQUIREMENTS, type ConformanceGateway, type ConformanceOptions, type ConformanceOutcome, type ConformancePlatform, type ConformanceRequirement, type DeliveryAnswer, type DeliveryFault, MemoryAccountState, type Need, type SendFault, type ShownMessage, type TestEvent, type TestHappening, type TestHappeningEvent, TestHost, type TestMessage, type TestPress, channelConformance, proveRequirement };