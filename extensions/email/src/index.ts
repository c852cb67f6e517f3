export { createEmailChannel } from "./channel.ts";
export { EmailConfigSchema } from "./config.ts";
export type { EmailConfig, MailServer, SenderVerification } from "./config.ts";
export { emailExtension } from "./extension.ts";
