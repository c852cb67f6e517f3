import type { Conversation, InboundEvent } from "@factotum/channel-contract";

/** What a reader takes from an event. */
export interface EventParts {
  readonly conversation: Conversation;
  readonly eventId?: string;
  readonly messageId: string;
  readonly event: InboundEvent;
  readonly senderId: string;
  readonly text?: string;
  readonly mentionsBot?: boolean;
}
