import { channelConformance } from "@factotum/channel-conformance";
import { A2aPlatform } from "../test/a2a-platform.ts";
import { createA2aChannel } from "./index.ts";

const REPEATED = "a repeated message is answered with its task, and not passed on again";
const UNSIGNED = "a bearer token proves the peer, as the protocol has it; nothing is signed";

channelConformance("a2a", {
  channel: "a2a",
  platform: async () => new A2aPlatform(),
  excluded: {
    "inbound:sender": "every peer is an agent, and so marked as a bot",
    "inbound:event-id": REPEATED,
    "inbound:timestamp": "messages of the protocol have no time",
    "inbound:unknown-kind": "an unknown method is answered with the protocol's error",
    "webhook:tampered": UNSIGNED,
    "webhook:stale": UNSIGNED,
    "webhook:early": UNSIGNED,
  },
  create: ({ platform, host }) => createA2aChannel(platform.settings(), platform.behind(host)),
});
