import { ChatSdkConfigSchema } from "@factotum/chat-sdk";
import { DiscordConfigSchema } from "@factotum/discord";
import { EmailConfigSchema } from "@factotum/email";
import { MatrixConfigSchema } from "@factotum/matrix";
import { TelegramConfigSchema } from "@factotum/telegram";
import { WebhookConfigSchema } from "@factotum/webhook";

/** The schemas of the channels that are installed as packages, by id. */
export const INSTALLABLE_SCHEMAS = {
  "chat-sdk": ChatSdkConfigSchema,
  discord: DiscordConfigSchema,
  email: EmailConfigSchema,
  matrix: MatrixConfigSchema,
  telegram: TelegramConfigSchema,
  webhook: WebhookConfigSchema,
};
