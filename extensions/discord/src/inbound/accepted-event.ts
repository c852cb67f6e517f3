import type { AccountChange, MsgContext } from "@factotum/channel-contract";

/** What is passed on of an event. */
export interface ReadEvent {
  readonly message: MsgContext;
  /** Committed with the message. */
  readonly state?: readonly AccountChange[];
}

/** An event that has arrived. */
export interface AcceptedEvent {
  /** What is passed on; called again after a failure, with the number of the attempt. */
  read(attempt: number): Promise<readonly ReadEvent[]>;
  /** The event was stored, or why it was not. */
  settle(error: Error | undefined): void;
}
