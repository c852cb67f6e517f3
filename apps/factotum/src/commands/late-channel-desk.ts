import type { ChannelDesk } from "@factotum/gateway";
import type { ChannelDeskOptions } from "./channel-desk.ts";

/** The desk of channels, loaded when it is asked for: most gateways are set up already. */
export function lateChannelDesk(options: ChannelDeskOptions): ChannelDesk {
  let opened: Promise<ChannelDesk> | undefined;
  const desk = (): Promise<ChannelDesk> =>
    (opened ??= import("./channel-desk.ts").then(({ createChannelDesk }) => createChannelDesk(options)));
  return {
    list: async () => (await desk()).list(),
    install: async (...given) => (await desk()).install(...given),
    form: async (account) => (await desk()).form(account),
    save: async (...given) => (await desk()).save(...given),
    remove: async (account) => (await desk()).remove(account),
  };
}
