import { channelConformance } from "@factotum/channel-conformance";
import { SlackPlatform } from "../test/slack-platform.ts";
import { createSlackChannel } from "./index.ts";
import type { SlackTransport } from "./index.ts";

for (const transport of ["webhook", "connection"] as const) {
  channelConformance(`slack by ${transport}`, {
    channel: "slack",
    excluded: {
      "stream:grows": "in a direct chat a stream is a message that is edited; src/outbound/sender.test.ts shows the platform's own",
    },
    platform: () => SlackPlatform.start(transport),
    create: ({ platform, host, credential }) => {
      const { app, baseUrl } = platform.slack;
      const by: SlackTransport =
        transport === "webhook" ? { type: "http", signingSecret: app.signingSecret } : { type: "socket", appToken: app.appToken };
      const botToken = credential === "right" ? app.botToken : "xoxb-wrong";
      return createSlackChannel({ botToken, baseUrl, transport: by }, host);
    },
  });
}
