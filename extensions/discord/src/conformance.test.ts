import { channelConformance } from "@factotum/channel-conformance";
import { DiscordPlatform } from "../test/discord-platform.ts";
import { createDiscordChannel } from "./index.ts";

channelConformance("discord", {
  channel: "discord",
  platform: () => DiscordPlatform.start(),
  create: ({ platform, host, credential }) => {
    const { app, baseUrl } = platform.discord;
    const token = credential === "right" ? app.token : ["d3Jvbmc", "wrong", "wrong-wrong-wrong"].join(".");
    return createDiscordChannel({ token, baseUrl }, host);
  },
  excluded: { "form:shown": "inputs are in a dialog, which the press of a button opens: `form:values` fills it in" },
});
