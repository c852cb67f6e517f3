import type { ChannelExtension } from "@factotum/channel-contract";
import type { ChannelSource } from "@factotum/config";
import type { WebchatDependencies } from "@factotum/webchat";

/** What the gateway gives to the channels that are a part of it. */
export interface ChannelParts {
  readonly webchatSocket: WebchatDependencies["socket"];
}

/** A channel of this build. */
export interface ChannelEntry extends ChannelSource {
  loadExtension(parts: ChannelParts): Promise<ChannelExtension>;
  /** Says why an id in an allowlist matches nobody, and what to do; for channels whose senders have one kind of id. */
  readonly loadSenderIdCheck?: () => Promise<(id: string) => { readonly message: string; readonly fix: string } | undefined>;
}

/** The channels of this build. This file alone names them; what an extension brings is loaded when an account of it is configured. */
export const CHANNELS: readonly ChannelEntry[] = [
  {
    id: "feishu",
    load: async () => (await import("@factotum/feishu")).FeishuConfigSchema,
    loadExtension: async () => erase((await import("@factotum/feishu")).feishuExtension),
    loadSenderIdCheck: async () => (await import("@factotum/feishu")).senderIdProblem,
  },
  {
    id: "webchat",
    implicit: true,
    load: async () => (await import("@factotum/webchat")).WebchatConfigSchema,
    loadExtension: async ({ webchatSocket }) => erase((await import("@factotum/webchat")).webchatExtension({ socket: webchatSocket })),
  },
];

/** Forgets what an account looks like: it is parsed by the extension's own schema before `create` sees it. */
function erase<Config>(extension: ChannelExtension<Config>): ChannelExtension {
  const { id, api, configSchema } = extension;
  return { id, api, configSchema, create: (config, host) => extension.create(configSchema.parse(config), host) };
}
