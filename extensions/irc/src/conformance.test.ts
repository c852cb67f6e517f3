import { channelConformance } from "@factotum/channel-conformance";
import { IrcPlatform } from "../test/irc-platform.ts";
import { createIrcChannel } from "./index.ts";

/** What a server offers; the second one only what every server has, with the accounts of people. */
const SERVERS = {
  "with all capabilities": {},
  "without copies and labels": { caps: ["message-tags", "server-time", "account-tag", "sasl"] },
} as const;

for (const [name, options] of Object.entries(SERVERS)) {
  channelConformance(`irc ${name}`, {
    channel: "irc",
    platform: () => IrcPlatform.start(options),
    create: ({ platform, host, credential }) => {
      const { account, nick, serverPassword, channels } = platform;
      const sasl = credential === "right" ? account : { ...account, password: "a-wrong-secret" };
      const flood = { burst: 100, intervalMs: 0 };
      return createIrcChannel(
        { host: "127.0.0.1", port: platform.fake.port, tls: false, nick, sasl, serverPassword, channels, flood },
        host,
      );
    },
    excluded: {
      "outbound:code": "a message is one line without its blank lines; a test of the extension has the code of each line",
    },
  });
}
