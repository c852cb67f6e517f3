import { channelConformance } from "@factotum/channel-conformance";
import { test } from "vitest";
import { NgircdPlatform, ngircd } from "../test/ngircd-platform.ts";
import { createIrcChannel } from "./index.ts";

const NO_IDS = "the server gives messages no ids";
const NO_FAULT = "the server cannot be made to answer this";

// A server that others wrote, and that knows none of the newer capabilities.
if (ngircd === undefined) test.skip("ngircd is not installed: apt-get install ngircd", () => undefined);
else {
  channelConformance("irc on ngircd", {
    channel: "irc",
    platform: () => NgircdPlatform.start(),
    create: ({ platform: { proxy, nick, password, channels }, host, credential }) => {
      const serverPassword = credential === "right" ? password : "a-wrong-secret";
      const flood = { burst: 100, intervalMs: 0 };
      return createIrcChannel({ host: "127.0.0.1", port: proxy.port, tls: false, nick, serverPassword, channels, flood }, host);
    },
    excluded: {
      "inbound:event-id": NO_IDS,
      "inbound:message-id": NO_IDS,
      "inbound:timestamp": "the server gives messages no time",
      "ack:duplicate": NO_IDS,
      "ack:duplicate-at-once": NO_IDS,
      "ack:duplicate-after-restart": NO_IDS,
      "outbound:rate-limited": NO_FAULT,
      "outbound:forbidden": NO_FAULT,
      "outbound:after-failure": NO_FAULT,
      "log:no-secrets": NO_FAULT,
      "outbound:answer-unreadable": NO_FAULT,
      "outbound:code": "a message is one line without its blank lines; a test of the extension has the code of each line",
    },
  });
}
