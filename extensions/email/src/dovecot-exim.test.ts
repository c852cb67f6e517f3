import { channelConformance } from "@factotum/channel-conformance";
import { afterAll, beforeAll, test } from "vitest";
import { ForeignPlatform } from "../test/foreign-platform.ts";
import { absence, startMailServers } from "../test/mail-servers.ts";
import type { MailServers } from "../test/mail-servers.ts";
import { createEmailChannel } from "./index.ts";

// Servers that others wrote: mail goes in by Exim, which proves its sender by SPF, and by LMTP to Dovecot, and out by Exim again.
if (absence !== undefined) test.skip(absence, () => undefined);
else {
  let servers: MailServers;
  beforeAll(async () => {
    servers = await startMailServers();
  });
  afterAll(async () => servers[Symbol.asyncDispose]());

  channelConformance("email on Dovecot and Exim", {
    channel: "email",
    platform: () => ForeignPlatform.start(servers),
    create: ({ platform, host, credential }) => createEmailChannel(platform.config(credential), host),
    excluded: {
      "inbound:timestamp": "the server stamps a mail with the time at which it got it",
      "reconcile:unknown": "a mail that was never begun is known without the server; a test of the extension has one that was",
      "outbound:answer-unreadable": "the server cannot be made to answer nonsense",
      "reconcile:shown": "the servers store no copies of sent mail",
      "reconcile:late": "the servers store no copies of sent mail",
    },
  });
}
