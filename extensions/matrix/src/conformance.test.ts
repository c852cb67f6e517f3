import { channelConformance } from "@factotum/channel-conformance";
import { MatrixPlatform } from "../test/matrix-platform.ts";
import { createMatrixChannel } from "./index.ts";

channelConformance("matrix", {
  channel: "matrix",
  platform: () => MatrixPlatform.start(),
  create: ({ platform, host, credential }) => {
    const { app, baseUrl } = platform.matrix;
    const accessToken = credential === "right" ? app.bot.token : "syt_wrong";
    return createMatrixChannel({ homeserver: baseUrl, userId: app.bot.id, accessToken }, host);
  },
  excluded: {
    "inbound:files": "an event has one file",
    "probe:missing-permission": "rights belong to rooms: an account as a whole lacks none",
    "event:reaction-taken-back":
      "what a removed reaction was is known from the reaction itself, which the case would count as a second one: see src/inbound/accept-event.test.ts",
  },
});
