import type { ChannelHealth, ChannelHost } from "@factotum/channel-contract";

/** Counts verified events that were lost because they do not have the form of a message, for log and status. */
export class UnreadableEvents {
  readonly #host: Pick<ChannelHost, "logger">;
  #count = 0;

  constructor(host: Pick<ChannelHost, "logger">) {
    this.#host = host;
  }

  record(reason: string): void {
    this.#count += 1;
    this.#host.logger.warn("slack message lost: its event cannot be read", { reason, count: this.#count });
  }

  /** The health with the count in its detail. The state stays: the connection works. */
  addTo(health: ChannelHealth): ChannelHealth {
    if (this.#count === 0 || health.state === "stopped") return health;
    const text = `${this.#count} ${this.#count === 1 ? "message" : "messages"} could not be read and ${this.#count === 1 ? "is" : "are"} lost; see the log`;
    return { ...health, detail: health.detail === undefined ? text : `${health.detail}; ${text}` };
  }
}
