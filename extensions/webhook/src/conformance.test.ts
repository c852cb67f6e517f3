import { channelConformance } from "@factotum/channel-conformance";
import { WebhookPlatform } from "../test/webhook-platform.ts";
import { createWebhookChannel } from "./index.ts";

channelConformance("webhook", {
  channel: "webhook",
  platform: () => WebhookPlatform.start(),
  create: ({ platform, host, credential }) => createWebhookChannel(platform.settings(credential), host),
});
