import { channelConformance } from "@factotum/channel-conformance";
import { SECRET_TOKEN, TelegramPlatform } from "../test/telegram-platform.ts";
import { createTelegramChannel } from "./index.ts";
import type { TelegramTransport } from "./index.ts";

/** The platform sends a secret with each request; it signs neither the body nor the time. */
const UNSIGNED = "the platform authenticates itself by a secret, and signs neither body nor time";

for (const transport of ["webhook", "connection"] as const) {
  channelConformance(`telegram by ${transport}`, {
    channel: "telegram",
    excluded: { "webhook:tampered": UNSIGNED, "webhook:stale": UNSIGNED, "webhook:early": UNSIGNED },
    platform: () => TelegramPlatform.start(transport),
    create: ({ platform, host, credential }) => {
      const { app, baseUrl } = platform.telegram;
      const by: TelegramTransport = transport === "webhook" ? { type: "webhook", secretToken: SECRET_TOKEN } : { type: "polling" };
      const token = credential === "right" ? app.token : ["110201543", "AAHwrongwrongwrongwrongwrongwrong12"].join(":");
      return createTelegramChannel({ token, baseUrl, transport: by }, host);
    },
  });
}
