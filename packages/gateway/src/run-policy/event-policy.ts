import type { EventType } from "@factotum/channel-contract";

/** What becomes of an event of a platform. */
export interface EventPolicy {
  /** It begins a turn. Other events wait for the next turn of their session, which shows them to its model. */
  readonly isAnswered: boolean;
  /** The earlier message whose text it brings into its turn: the one that it targets, or the one that it replies to. Others may have caused that text (R23). */
  readonly brings: "target" | "reply" | "nothing";
}

/** Every type of event: one that is added to the contract is a type error here until it is decided. */
export const EVENT_POLICY: Readonly<Record<EventType, EventPolicy>> = {
  message: { isAnswered: true, brings: "reply" },
  action: { isAnswered: true, brings: "target" },
  edit: { isAnswered: false, brings: "nothing" },
  delete: { isAnswered: false, brings: "nothing" },
  reaction: { isAnswered: false, brings: "nothing" },
  member: { isAnswered: false, brings: "nothing" },
  moved: { isAnswered: false, brings: "nothing" },
  vote: { isAnswered: false, brings: "target" },
  receipt: { isAnswered: false, brings: "nothing" },
};
