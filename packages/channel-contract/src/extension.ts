import type * as z from "zod";
import type { Channel, ChannelHost } from "./channel.ts";

/**
 * What the composition root needs of an extension. Every extension exports `create<Platform>Channel`, `<Platform>ConfigSchema` and `<platform>Extension`, which
 * has both.
 */
export interface ChannelExtension<Config = unknown> {
  /** Id of the channel in configuration and addresses; lower case. */
  readonly id: string;
  /** Version of this contract that the extension was built for. */
  readonly api: 1;
  /** Schema of one account, without the keys that every account has. Secrets are strings by then: the gateway resolves them first. */
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, host: ChannelHost): Channel;
}
