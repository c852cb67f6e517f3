import type * as z from "zod";
import type { Channel, ChannelHost } from "./channel.ts";

/**
 * What the composition root needs to know of an extension. Every extension exports `create<Platform>Channel`, `<Platform>ConfigSchema` and
 * `<platform>Extension`, which holds both.
 */
export interface ChannelExtension<Config = unknown> {
  /** Id of the channel in configuration and addresses; lower case. */
  readonly id: string;
  /** Version of this contract that the extension was made for. */
  readonly api: 1;
  /** Schema of one account, without the keys that every account has. Secrets are strings when it is applied: the gateway resolves them before. */
  readonly configSchema: z.ZodType<Config>;
  create(config: Config, host: ChannelHost): Channel;
}
