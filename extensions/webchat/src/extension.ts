import type { ChannelExtension } from "@factotum/channel-contract";
import { createWebchatChannel, type WebchatDependencies } from "./channel.ts";
import { type WebchatConfig, WebchatConfigSchema } from "./config.ts";

/** The extension over the socket of the gateway that composes it: no other platform needs a part of the gateway, so this one is a function. */
export function webchatExtension(dependencies: WebchatDependencies): ChannelExtension<WebchatConfig> {
  return {
    id: "webchat",
    api: 1,
    configSchema: WebchatConfigSchema,
    create: (config, host) => createWebchatChannel(config, host, dependencies),
  };
}
