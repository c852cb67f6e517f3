import { channelConformance } from "@factotum/channel-conformance";
import { TwinPlatform } from "../test/twin-platform.ts";
import { createDiscordChannel } from "./index.ts";

const MENTIONS = "the package sends no list of mentioned people";
const RESUME = "the package resumes no session";
const FILES = "the package takes no files";
const POLLS = "the package has no polls";
const ROUTES = "the package does not have the routes";
const NONCE = "the package shows two messages with one nonce";

/** What the package cannot show. */
const EXCLUDED: Readonly<Record<string, string>> = {
  "inbound:mention-bot": MENTIONS,
  "inbound:mention-other": MENTIONS,
  "event:reaction": "only the bot can react in the package",
  "event:reaction-taken-back": "only the bot can react in the package",
  "event:press": "`card:press` proves the same",
  "event:vote": POLLS,
  "resume:missed": RESUME,
  "ack:duplicate-after-restart": RESUME,
  "connection:again": RESUME,
  "connection:one": RESUME,
  "outbound:idempotent": NONCE,
  "outbound:idempotent-long-key": NONCE,
  "outbound:media": FILES,
  "outbound:media-name": FILES,
  "outbound:caption": FILES,
  "album:shown": FILES,
  "audience:silent-file": FILES,
  "audience:silent-album": FILES,
  "form:shown": "inputs are in a dialog, which the press of a button opens",
  "form:values": "the package opens no dialog",
  "poll:shown": POLLS,
  "poll:limit": POLLS,
  "act:pin": ROUTES,
  "act:unpin": ROUTES,
  "act:pins-list": ROUTES,
  "act:reactions-list": "the package does not list the reactions of a message",
  "act:thread-list": ROUTES,
  "act:emoji-list": ROUTES,
  "probe:missing-permission": "the package's application has every intent",
  "directory:find": ROUTES,
  "directory:nobody": ROUTES,
  "directory:limit": ROUTES,
  "target:unknown": ROUTES,
  "capabilities:proved": "the fake platform of the extension proves what the package lacks",
  "health:evidence": "the package does not list commands, so that the health says that the menu is not registered",
};

channelConformance("discord against discord-digital-twin", {
  channel: "discord",
  platform: () => TwinPlatform.start(),
  create: ({ platform, host }) => createDiscordChannel({ token: platform.twin.botToken, baseUrl: platform.baseUrl }, host),
  excluded: EXCLUDED,
});
