import { channelConformance } from "@factotum/channel-conformance";
import { SampleChatPlatform } from "../test/sample-chat-platform.ts";
import { createSampleChatChannel } from "./index.ts";

channelConformance("sample-chat", {
  channel: "sample-chat",
  platform: () => SampleChatPlatform.start(),
  create: ({ platform: { fake }, host, credential }) => {
    const token = credential === "right" ? fake.token : "a-wrong-token";
    return createSampleChatChannel({ token, signingSecret: fake.signingSecret, baseUrl: fake.baseUrl }, host);
  },
});
