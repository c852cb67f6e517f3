import type { Product } from "@factotum/testing-product";

/** Kinds of events. All but `edit`, `delete` and `reaction` are inputs that must be answered. */
export type MixedKind = "message" | "command" | "slash" | "press" | "edit" | "delete" | "reaction";

/** One event of a person on the platform. */
export interface MixedEvent {
  /** `input-7`, or `change-7` for an event without an answer. */
  readonly id: string;
  readonly kind: MixedKind;
  /** An address of the platform, one of `conversations`. */
  readonly conversation: string;
  /** The text that is sent, or that replaces the text of an earlier message. */
  readonly text: string;
  /** The person, from 0; in a direct conversation the platform takes its own. */
  readonly person: number;
}

/** A visible message of the product. */
export interface ShownReply {
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
}

/** A channel's platform with two accounts, as far as the channel has accounts, and its people. */
export interface MixedPlatform extends AsyncDisposable {
  readonly name: string;
  /** The extension of this repository that has to be installed; none for a built-in channel. */
  readonly extension?: string;
  /** What the channel declares. `once`: what is sent while it is not connected is lost. `at-most-once`: a reply that was on the wire at a kill is not repeated. */
  readonly guarantee: { readonly inbound: "redelivers" | "once"; readonly outbound: "once" | "at-most-once" };
  readonly conversations: readonly string[];
  /** Kinds of events; a kind that is there twice is twice as frequent. */
  readonly kinds: readonly MixedKind[];
  /** True if events of this kind happen in the conversation. */
  allows(kind: MixedKind, conversation: string): boolean;
  /** `channels` of the configuration, and the owners. */
  readonly config: { readonly channels: object; readonly owners: readonly string[] };
  /** Resolves once the product can receive in every account. */
  connected(product: Product): Promise<void>;
  /** Creates an event on the platform; it is not delivered yet. */
  create(event: MixedEvent): void;
  /** Delivers an event, also a second time. Resolves with whether the product acknowledged it; on a channel without acknowledgements whether it was connected. */
  deliver(event: MixedEvent, product: Product): Promise<boolean>;
  /** True if the platform delivers this kind again until it is acknowledged, and may deliver it twice. */
  redelivers(kind: MixedKind): boolean;
  /** Breaks connections, or the next request, without a word. */
  disconnect(): void;
  /** Visible messages; those of a conversation in their order. */
  readonly shown: readonly ShownReply[];
  /** Calls `listener` after each change of `shown`. */
  watch(listener: () => void): void;
}
