import type { ChannelExtension } from "@factotum/channel-contract";
import type { AvailableChannel } from "@factotum/config";
import type { WebchatDependencies } from "@factotum/webchat";
import { readBuiltInSchema } from "../extensions/built-in.ts";

/** The services that built-in channels get from the gateway. */
export interface ChannelParts {
  readonly webchatSocket: WebchatDependencies["socket"];
}

/** A channel of this build. */
export interface ChannelEntry extends AvailableChannel {
  loadExtension(parts: ChannelParts): Promise<ChannelExtension>;
  /** Says why an id in an allowlist matches no one, and what to do; for channels with one kind of sender id. */
  readonly loadSenderIdCheck?: () => Promise<(id: string) => { readonly message: string; readonly fix: string } | undefined>;
}

/** The channels of this build. This file alone names them; an extension is loaded when an account of it is configured. */
export const CHANNELS: readonly ChannelEntry[] = [
  {
    id: "feishu",
    load: async () => readBuiltInSchema("feishu", async () => (await import("@factotum/feishu")).FeishuConfigSchema),
    loadExtension: async () => erase((await import("@factotum/feishu")).feishuExtension),
    loadSenderIdCheck: async () => (await import("@factotum/feishu")).senderIdProblem,
  },
  {
    id: "webchat",
    implicit: true,
    load: async () => readBuiltInSchema("webchat", async () => (await import("@factotum/webchat")).WebchatConfigSchema),
    loadExtension: async ({ webchatSocket }) => erase((await import("@factotum/webchat")).webchatExtension({ socket: webchatSocket })),
  },
];

/** Erases the account's type: it is parsed by the extension's own schema before `create` gets it. */
function erase<Config>(extension: ChannelExtension<Config>): ChannelExtension {
  const { id, api, configSchema } = extension;
  return { id, api, configSchema, create: (config, host) => extension.create(configSchema.parse(config), host) };
}
