import { channelConformance } from "@factotum/channel-conformance";
import { EXCLUDED } from "../test/excluded.ts";
import { ADAPTER, optionsFor } from "../test/scene.ts";
import { TelegramPlatform } from "../test/telegram-platform.ts";
import { createChatSdkChannel } from "./index.ts";

for (const hasRichMessages of [true, false]) {
  channelConformance(`@chat-adapter/telegram by webhook, ${hasRichMessages ? "rich messages" : "MarkdownV2"}`, {
    channel: "chat-sdk",
    excluded: EXCLUDED,
    platform: () => TelegramPlatform.start({ hasRichMessages }),
    create: ({ platform, host, credential }) => {
      const token = credential === "right" ? undefined : ["110201543", "AAHwrongwrongwrongwrongwrongwrong12"].join(":");
      return createChatSdkChannel({ adapter: ADAPTER, options: optionsFor(platform.telegram, token) }, host);
    },
  });
}
