import { channelConformance } from "@factotum/channel-conformance";
import { FeishuPlatform } from "../test/feishu-platform.ts";
import { createFeishuChannel } from "./index.ts";
import type { FeishuTransport } from "./index.ts";

for (const transport of ["webhook", "connection"] as const) {
  channelConformance(`feishu by ${transport}`, {
    channel: "feishu",
    platform: () => FeishuPlatform.start(transport),
    create: ({ platform, host, credential }) => {
      const { app, baseUrl } = platform.feishu;
      const by: FeishuTransport =
        transport === "webhook"
          ? { type: "webhook", encryptKey: app.encryptKey, verificationToken: app.verificationToken }
          : { type: "websocket" };
      const appSecret = credential === "right" ? app.appSecret : "a-wrong-secret";
      return createFeishuChannel({ appId: app.appId, appSecret, domain: "feishu", baseUrl, transport: by }, host);
    },
  });
}
