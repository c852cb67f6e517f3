import type {
  ActionName,
  Channel,
  ChannelCapabilities,
  EventType,
  OptionalPart,
  Origin,
  Outbound,
  SendOptions,
  SendReceipt,
} from "@factotum/channel-contract";
import type { ConformanceOptions, ConformancePlatform, TestEvent, TestMessage } from "./platform.ts";
import type { TestHost } from "./test-host.ts";

/** Platform features that a case requires. */
export type Need =
  | "webhook"
  | "connection"
  | "handshake"
  | "renewable-token"
  | "other-bots"
  | "unverified-senders"
  | "mass-mention"
  | "files"
  | "groups"
  | "replies"
  | "credential"
  | "wire"
  | "line-breaks"
  | "redelivery"
  | "once"
  | "threads"
  | "markdown"
  | "line-limit"
  | "edit"
  | "media"
  | "captions"
  | "voice-messages"
  | "typing"
  | "delete"
  | "reactions"
  | "idempotent-send"
  | "context"
  | "cards"
  | "buttons"
  | "forms"
  | "card-edits"
  | "polls"
  | "albums"
  | "ephemeral"
  | "silent"
  | "stream"
  | "native-commands"
  | "menu"
  | "command-or-text"
  | "resumes"
  | "cursor"
  | "reply-context"
  | OptionalPart
  | ActionNeed
  | EventNeed;

/** The channel declares this action. */
type ActionNeed = `act-${ActionName}`;

/** The channel passes on events of this type. */
type EventNeed = `event-${Exclude<EventType, "message">}`;

/** One requirement, as data. */
export interface ConformanceRequirement {
  /** `area:rule`; never reused for another rule. */
  readonly id: string;
  readonly needs: readonly Need[];
  /** The correct behaviour. */
  readonly behaviour: string;
}

/** A requirement and its test. */
export interface ConformanceCase extends ConformanceRequirement {
  /** Rejects if the adapter behaves differently. */
  prove(world: World): Promise<void>;
}

/** The environment of one case: a fresh platform, a fresh gateway, a started channel. */
export interface World {
  readonly platform: ConformancePlatform;
  readonly host: TestHost;
  readonly channel: Channel;
  readonly options: ConformanceOptions;
  /** Another channel of the same account on the same gateway, not started; stopped with the environment. */
  readonly another: (input?: { readonly credential: "right" | "wrong" }) => Channel;
  /** A person's message, in the direct chat by default. */
  readonly event: (message?: Partial<TestMessage>) => TestEvent;
  /** Sends a text, to the direct chat by default. */
  readonly send: (
    outbound?: Outbound,
    options?: Partial<SendOptions> & { readonly to?: Parameters<ConformancePlatform["target"]>[0] },
  ) => Promise<SendReceipt>;
  readonly address: (kind: Parameters<ConformancePlatform["target"]>[0]) => Origin;
}

/** The subset of the needs that is available. */
export function providedNeeds(platform: ConformancePlatform, capabilities: ChannelCapabilities): ReadonlySet<Need> {
  const { features, transport } = platform;
  const { absent = [] } = features;
  const { delivery } = capabilities.inbound;
  const offered = needsOf([
    ["webhook", transport === "webhook"],
    ["connection", transport === "connection"],
    ["handshake", transport === "webhook" && features.handshake],
    ["renewable-token", features.renewableToken],
    ["other-bots", features.otherBots],
    ["unverified-senders", features.unverifiedSenders === true],
    ["mass-mention", features.massMention !== ""],
    ["files", features.files],
    ["groups", !absent.includes("groups")],
    ["replies", !absent.includes("replies")],
    ["credential", !absent.includes("credential")],
    ["wire", !absent.includes("wire")],
    ["line-breaks", !absent.includes("line-breaks")],
    ["redelivery", delivery !== "once"],
    ["once", delivery === "once"],
    ["resumes", delivery === "resumes"],
    ["cursor", delivery === "resumes" || capabilities.inbound.transport === "polling"],
    ["menu", capabilities.nativeCommands && !absent.includes("menu")],
    ["command-or-text", capabilities.nativeCommands && platform.commandOrText !== undefined],
  ]);
  return new Set([...offered, ...declaredNeeds(capabilities)]);
}

/** The needs that a channel promises by declaring a capability. */
export function declaredNeeds(capabilities: ChannelCapabilities): ReadonlySet<Need> {
  return needsOf([
    ["threads", capabilities.threads === "native"],
    ["markdown", capabilities.text.markdown !== "none"],
    ["line-limit", capabilities.text.maxLines !== undefined],
    ["edit", capabilities.edit],
    ["media", capabilities.media.length > 0],
    ["captions", capabilities.limits?.captionLength !== undefined],
    ["voice-messages", capabilities.voiceMessages === true],
    ["typing", capabilities.typing],
    ["delete", capabilities.delete],
    ["reactions", capabilities.reactions],
    ["idempotent-send", capabilities.idempotentSend !== undefined],
    ["context", capabilities.fetchesContext === true],
    ["cards", capabilities.cards],
    ["buttons", capabilities.cards && capabilities.buttons],
    ["forms", capabilities.cards && capabilities.forms === true],
    ["card-edits", capabilities.cards && capabilities.cardEdits === true],
    ["polls", capabilities.polls],
    ["albums", (capabilities.limits?.filesPerMessage ?? 1) > 1],
    ["ephemeral", capabilities.ephemeral === true],
    ["silent", capabilities.silent === true],
    ["stream", capabilities.streaming === "native"],
    ["native-commands", capabilities.nativeCommands],
    ["reply-context", capabilities.replyContext === true],
    ...(capabilities.optional ?? []).map((part) => [part, true] as const),
    ...capabilities.actions.map((name) => [`act-${name}`, true] as const),
    ...(capabilities.events ?? []).map((type) => [`event-${type}`, true] as const),
  ]);
}

function needsOf(table: readonly (readonly [Need, boolean])[]): ReadonlySet<Need> {
  return new Set(table.filter(([, isThere]) => isThere).map(([need]) => need));
}
