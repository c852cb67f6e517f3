import type { AccessDesk, ChannelDesk } from "@factotum/gateway";
import type { ChannelDeskOptions } from "./channel-desk.ts";

/** What clients set up of channels. */
export interface ChannelDesks {
  readonly channelDesk: ChannelDesk;
  readonly accessDesk: AccessDesk;
}

/** The desks of channels, loaded when they are asked for: most gateways are set up already. */
export function lateChannelDesks(options: ChannelDeskOptions): ChannelDesks {
  let opened: Promise<ChannelDesks> | undefined;
  const desks = async (): Promise<ChannelDesks> =>
    (opened ??= import("./channel-desk.ts").then(({ createAccessDesk, createChannelDesk }) => ({
      channelDesk: createChannelDesk(options),
      accessDesk: createAccessDesk(options),
    })));
  return {
    channelDesk: {
      list: async () => (await desks()).channelDesk.list(),
      form: async (account) => (await desks()).channelDesk.form(account),
      save: async (...given) => (await desks()).channelDesk.save(...given),
      remove: async (account) => (await desks()).channelDesk.remove(account),
    },
    accessDesk: {
      read: async (account) => (await desks()).accessDesk.read(account),
      allow: async (...given) => (await desks()).accessDesk.allow(...given),
      remove: async (...given) => (await desks()).accessDesk.remove(...given),
      setPolicy: async (...given) => (await desks()).accessDesk.setPolicy(...given),
    },
  };
}
