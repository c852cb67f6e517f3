import { channelConformance } from "@factotum/channel-conformance";
import { WebchatPlatform } from "../test/webchat-platform.ts";
import { createWebchatChannel } from "./index.ts";

channelConformance("webchat", {
  channel: "webchat",
  platform: async () => new WebchatPlatform(),
  create: ({ platform, host }) => createWebchatChannel({}, host, { socket: platform.socket }),
});
