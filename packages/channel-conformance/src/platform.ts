import type { Channel, ChannelHost, MsgContext, Origin } from "@factotum/channel-contract";

/** A message of the test's world; the platform's driver makes an event of it. */
export interface TestMessage {
  readonly text: string;
  readonly conversation: "direct" | "group" | "thread";
  /** `self` is the bot under test. */
  readonly sender: "person" | "self" | "other-bot";
  /** Names the bot at the end of the text. */
  readonly mentionsBot?: boolean;
  /** Names the person `Bob` at the end of the text. */
  readonly mentionsBob?: boolean;
  /** Answers a message that exists on the platform. */
  readonly isReply?: boolean;
  /** Carries these files, in this order; empty for none. */
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** An event of the platform, ready to be delivered as often as wanted, and what a right adapter makes of it. */
export interface TestEvent {
  readonly raw: unknown;
  readonly expected: {
    readonly eventId: string;
    readonly messageId: string;
    readonly conversation: Origin["conversation"];
    readonly senderId: string;
    readonly timestampMs: number;
    readonly replyTo?: string;
    /** What the platform answers about the message's surroundings; of platforms whose channel fetches them. */
    readonly context?: { readonly senderName: string; readonly subject: string; readonly quoted?: string };
  };
}

/** What may be wrong with a delivery. Only the first two are asked of a platform that keeps a connection. */
export type DeliveryFault =
  /** Another account's, otherwise in order. */
  | "other-account"
  /** An event of a kind that no adapter knows. */
  | "unknown-kind"
  | "signature-missing"
  | "signature-wrong"
  /** Changed after it was signed. */
  | "tampered"
  /** Signed a day ago. */
  | "stale"
  /** Signed for tomorrow. */
  | "early";

/** What the platform takes from the answer: done, or to be sent again, or (4xx) not believed. */
export type DeliveryAnswer = "acknowledged" | "unacknowledged" | "refused";

/** How the next send goes wrong. */
export type SendFault =
  | { readonly type: "rate-limited"; readonly delayMs: number }
  | { readonly type: "server-error" }
  | { readonly type: "forbidden" }
  /** The message is shown, its answer is lost. */
  | { readonly type: "answer-lost" }
  /** The message is shown, and there is no answer until `release`. */
  | { readonly type: "held" };

/** One message as the platform shows it. */
export interface ShownMessage {
  readonly messageId: string;
  readonly conversationId: string;
  /** Shown inside a thread. */
  readonly inThread: boolean;
  readonly replyTo?: string;
  /** What a person reads, marks of the dialect included. */
  readonly text: string;
  readonly deleted: boolean;
  readonly reactions: readonly string[];
  /** The file that it shows. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
  /** Whether it rang with everybody in the room. */
  readonly notifiedAll: boolean;
}

/**
 * The platform under the adapter: a local server that speaks the real protocol, and the test's hands on it. Every member is there for every platform; what a
 * platform has not is said in `features`, and is then not called.
 */
export interface ConformancePlatform extends AsyncDisposable {
  /** `webhook`: the platform posts. `connection`: the adapter keeps one open, or asks. */
  readonly transport: "webhook" | "connection";
  readonly features: {
    /** It checks a webhook's address with a challenge. */
    readonly handshake: boolean;
    /** Credentials are exchanged for tokens, which can be renewed. */
    readonly renewableToken: boolean;
    /** Bots see each other. */
    readonly otherBots: boolean;
    /** Text that would ring with everybody; empty where there is none. */
    readonly massMention: string;
    /** Messages can carry files. */
    readonly files: boolean;
    /**
     * What nearly every platform has and this one has not at all: conversations of several people, answers to a single message, a credential that can be
     * wrong, a wire between it and the adapter that can break. Nothing when left out.
     */
    readonly absent?: readonly ("groups" | "replies" | "credential" | "wire")[];
  };
  /** What may never be in a log line. */
  readonly secrets: readonly string[];
  event(message: TestMessage): TestEvent;
  /** Delivers an event and resolves with what the platform understood. */
  deliver(channel: Channel, event: TestEvent, options?: { readonly fault?: DeliveryFault }): Promise<DeliveryAnswer>;
  /** Delivers bytes that are no event. On a connection they go unanswered: resolves once they are sent. */
  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer>;
  /** Lets the platform check the address; resolves with whether it was satisfied. */
  handshake(channel: Channel, options: { readonly token: "right" | "wrong" }): Promise<boolean>;
  /** Breaks the connection. */
  disconnect(): void;
  /** Resolves when the adapter has connected `count` times since the start. */
  connected(count: number): Promise<void>;
  /** Connections that are open now. */
  readonly openConnections: number;
  /** Where to send. `thread` is a thread of the group. `unknown` exists nowhere. */
  target(kind: "direct" | "group" | "thread" | "unknown"): Origin["conversation"];
  /** What is shown, oldest first. */
  readonly shown: readonly ShownMessage[];
  /** Requests to show, change or remove a message that have arrived, good and bad. */
  readonly sendRequests: number;
  /** Resolves when `count` such requests have arrived. */
  sendRequested(count: number): Promise<void>;
  failNextSend(fault: SendFault): void;
  /** From now on every request that reads names, groups or messages is refused: the app lacks the permission. */
  refuseReads(): void;
  release(): void;
  /** No one listens at the platform's address any more. */
  shutDown(): Promise<void>;
  /** Tokens that were given out are void; the credential is still good. */
  revokeTokens(): void;
}

/** What an adapter's test file gives. */
export interface ConformanceOptions<P extends ConformancePlatform = ConformancePlatform> {
  /** Starts a fresh platform. */
  readonly platform: () => Promise<P>;
  /** Makes the channel under test for that platform; with `credential: "wrong"` the platform refuses it. */
  readonly create: (input: { readonly platform: P; readonly host: ChannelHost; readonly credential: "right" | "wrong" }) => Channel;
  /** The channel's id in addresses. */
  readonly channel: string;
}

/** What a right adapter hands over for an event, as far as it can be said for every platform. */
export function expectedOrigin(options: { readonly channel: string; readonly accountId: string }, event: TestEvent): MsgContext["origin"] {
  return { channel: options.channel, accountId: options.accountId, conversation: event.expected.conversation };
}
