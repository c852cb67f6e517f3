import type { ChannelExtension } from "@factotum/channel-contract";
import { createEmailChannel } from "./channel.ts";
import { EmailConfigSchema } from "./config.ts";
import type { EmailConfig } from "./config.ts";

/** The entry for the composition root. */
export const emailExtension: ChannelExtension<EmailConfig> = {
  id: "email",
  api: 1,
  configSchema: EmailConfigSchema,
  create: createEmailChannel,
};
