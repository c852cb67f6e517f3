import { channelConformance } from "@factotum/channel-conformance";
import { EmailPlatform } from "../test/email-platform.ts";
import { createEmailChannel } from "./index.ts";

channelConformance("email", {
  channel: "email",
  platform: () => EmailPlatform.start(),
  create: ({ platform, host, credential }) => createEmailChannel(platform.config(credential), host),
  excluded: {
    "reconcile:unknown": "a mail that was never begun is known without the server; a test of the extension has one that was",
  },
});
