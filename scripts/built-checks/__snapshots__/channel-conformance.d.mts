import { Channel, ChannelHost, Clock, Logger, MsgContext, Origin, Random } from "@factotum/channel-contract";
/** A message of the test's world; the platform's driver makes an event of it. */
interface TestMessage {
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
  readonly files?: readonly {
    readonly name: string;
    readonly bytes: Uint8Array;
  }[];
}
/** An event of the platform, ready to be delivered as often as wanted, and what a right adapter makes of it. */
interface TestEvent {
  readonly raw: unknown;
  readonly expected: {
    readonly eventId: string;
    readonly messageId: string;
    readonly conversation: Origin["conversation"];
    readonly senderId: string;
    readonly timestampMs: number;
    readonly replyTo?: string;
    /** What the platform answers about the message's surroundings; of platforms whose channel fetches them. */
    readonly context?: {
      readonly senderName: string;
      readonly subject: string;
      readonly quoted?: string;
    };
  };
}
/** What may be wrong with a delivery. Only the first two are asked of a platform that keeps a connection. */
type DeliveryFault = "other-account" | "unknown-kind" | "signature-missing" | "signature-wrong" | "tampered" | "stale" | "early";
/** What the platform takes from the answer: done, or to be sent again, or (4xx) not believed. */
type DeliveryAnswer = "acknowledged" | "unacknowledged" | "refused";
/** How the next send goes wrong. */
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
  readonly type: "held";
};
/** One message as the platform shows it. */
interface ShownMessage {
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
  readonly file?: {
    readonly name: string;
    readonly bytes: Uint8Array;
  };
  /** Whether it rang with everybody in the room. */
  readonly notifiedAll: boolean;
}
/**
 * The platform under the adapter: a local server that speaks the real protocol, and the test's hands on it. Every member is there for every platform; what a
 * platform has not is said in `features`, and is then not called.
 */
interface ConformancePlatform extends AsyncDisposable {
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
  deliver(channel: Channel, event: TestEvent, options?: {
    readonly fault?: DeliveryFault;
  }): Promise<DeliveryAnswer>;
  /** Delivers bytes that are no event. On a connection they go unanswered: resolves once they are sent. */
  deliverBytes(channel: Channel, bytes: Uint8Array): Promise<DeliveryAnswer>;
  /** Lets the platform check the address; resolves with whether it was satisfied. */
  handshake(channel: Channel, options: {
    readonly token: "right" | "wrong";
  }): Promise<boolean>;
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
interface ConformanceOptions<P extends ConformancePlatform = ConformancePlatform> {
  /** Starts a fresh platform. */
  readonly platform: () => Promise<P>;
  /** Makes the channel under test for that platform; with `credential: "wrong"` the platform refuses it. */
  readonly create: (input: {
    readonly platform: P;
    readonly host: ChannelHost;
    readonly credential: "right" | "wrong";
  }) => Channel;
  /** The channel's id in addresses. */
  readonly channel: string;
}
/** A gateway of the test: it keeps what it was given, also when the channel is made anew, and can be told to fail. */
declare class TestHost implements ChannelHost {
  #private;
  readonly accountId = "second";
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: typeof fetch;
  /** Every line that was logged, as JSON. */
  readonly logLines: string[];
  readonly logger: Logger;
  /** What was handed over, duplicates included. */
  readonly received: MsgContext[];
  /** What was stored. */
  readonly stored: MsgContext[];
  /** Real time, randomness and network unless given. */
  constructor(given?: Partial<Pick<ChannelHost, "clock" | "random" | "fetch">>);
  receive(message: MsgContext, options?: {
    readonly cursor?: string;
  }): Promise<"accepted" | "duplicate">;
  cursor(): Promise<string | undefined>;
  /** The next call of `receive` rejects. */
  failNext(): void;
  /** Calls of `receive` wait until the returned function is called. */
  hold(): () => void;
  /** Resolves when `count` messages were handed over. */
  handedOver(count: number): Promise<void>;
}
/** What a case asks of an adapter before it applies. */
type Need = "webhook" | "connection" | "handshake" | "renewable-token" | "other-bots" | "mass-mention" | "files" | "groups" | "replies" | "credential" | "wire" | "threads" | "markdown" | "edit" | "media" | "typing" | "delete" | "reactions" | "idempotent-send" | "context";
/** One requirement, as data. */
interface ConformanceRequirement {
  /** `area:rule`; never reused for another rule. */
  readonly id: string;
  readonly needs: readonly Need[];
  /** What a right adapter does. */
  readonly behaviour: string;
}
/**
 * Registers one test for every requirement. Call it at the top of an extension's `conformance.test.ts`, once for each transport. A requirement whose needs the
 * adapter does not declare, or whose platform does not have them, is shown as skipped.
 */
declare function channelConformance<P extends ConformancePlatform>(name: string, options: ConformanceOptions<P>): void;
/** Every requirement, in the order in which they run. */
declare const CONFORMANCE_REQUIREMENTS: readonly ConformanceRequirement[];
/** What became of one requirement. */
type ConformanceOutcome = {
  readonly type: "passed";
} | {
  readonly type: "not-needed";
} | {
  readonly type: "failed";
  readonly error: unknown;
};
/** Proves one requirement on an adapter, in a world of its own. Never rejects. */
declare function proveRequirement(id: string, options: ConformanceOptions, settings: {
  readonly timeoutMs: number;
}): Promise<ConformanceOutcome>;
export { CONFORMANCE_REQUIREMENTS, type ConformanceOptions, type ConformanceOutcome, type ConformancePlatform, type ConformanceRequirement, type DeliveryAnswer, type DeliveryFault, type Need, type SendFault, type ShownMessage, type TestEvent, TestHost, type TestMessage, channelConformance, proveRequirement };