import { channelConformance } from "@factotum/channel-conformance";
import { SampleChatPlatform } from "../test/sample-chat-platform.ts";
import { createSampleChatChannel } from "./index.ts";

channelConformance("sample-chat", {
  channel: "sample-chat",
  platform: () => SampleChatPlatform.start(),
  create: ({ platform, host, credential }) => createSampleChatChannel(platform.settings(credential), host),
});
