import type { CallOptions, ChannelHealth } from "@factotum/channel-contract";

/** How updates come in. */
export interface Transport {
  /** As `Channel.start`. */
  start(options: CallOptions): Promise<void>;
  /** As `Channel.handleWebhook`. */
  handleWebhook(request: Request, options: CallOptions): Promise<Response>;
  health(): ChannelHealth;
  /** As `Channel.stop`, for the inbound half. */
  stop(options: CallOptions): Promise<void>;
}
