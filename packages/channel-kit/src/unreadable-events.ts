import type { ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { addDetail } from "./add-detail.ts";

/** Counts verified events that were lost because they do not have the form of a message, for log and status. */
export interface UnreadableEvents {
  /** Counts and logs one; `reason` must not contain text of the message. */
  record(reason: string): void;
  /** The health with the count in its detail. The state stays: the connection works. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** Starts at zero. */
export function createUnreadableEvents({ logger }: Pick<ChannelHost, "logger">): UnreadableEvents {
  let count = 0;
  return {
    record(reason) {
      count += 1;
      logger.warn("message lost: its event cannot be read", { reason, count });
    },
    addTo(health) {
      if (count === 0) return health;
      const text = count === 1 ? "1 message could not be read and is lost" : `${count} messages could not be read and are lost`;
      return addDetail(health, `${text}; see the log`);
    },
  };
}
