import type { AccessDesk, ChannelDesk } from "@factotum/gateway";
import { lateDesk } from "../compose/late-desk.ts";
import type { ChannelDeskOptions } from "./channel-desk.ts";

/** What clients set up of channels. */
export interface ChannelDesks {
  readonly channelDesk: ChannelDesk;
  readonly accessDesk: AccessDesk;
}

/** The desks of channels: most gateways are set up already. */
export function lateChannelDesks(options: ChannelDeskOptions): ChannelDesks {
  return {
    channelDesk: lateDesk(async () => (await import("./channel-desk.ts")).createChannelDesk(options)),
    accessDesk: lateDesk(async () => (await import("./channel-desk.ts")).createAccessDesk(options)),
  };
}
