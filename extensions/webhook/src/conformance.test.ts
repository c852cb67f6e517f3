import { channelConformance } from "@factotum/channel-conformance";
import { WebhookPlatform } from "../test/webhook-platform.ts";
import { createWebhookChannel } from "./index.ts";

channelConformance("webhook", {
  channel: "webhook",
  platform: () => WebhookPlatform.start(),
  excluded: { "outbound:answer-unreadable": "every answer with 2xx means that the message was taken, whatever its body says" },
  create: ({ platform, host, credential }) => createWebhookChannel(platform.settings(credential), host),
});
