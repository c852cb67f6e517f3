import { expect, test } from "vitest";
import { sampleChannels } from "../../test/sample.ts";
import { validateDocument } from "./validate-document.ts";

const ACCOUNT = { appId: "a", appSecret: "b", transport: { type: "websocket" } };
const AGENTS = { list: [{ id: "main" }, { id: "coder" }] };
const CHANNELS = { chatter: { accounts: { default: ACCOUNT } } };

async function problems(broadcast: object, others: object = {}): Promise<readonly string[]> {
  const { problems: found } = await validateDocument(
    { broadcast, agents: AGENTS, channels: CHANNELS, ...others },
    sampleChannels().channels,
  );
  return found.filter(({ type }) => type !== "notice").map(({ type, path, message }) => `${type} ${path}: ${message}`);
}

test.each([
  ["an agent that is not there", { "chatter:7": ["main", "codr"] }, {}, /^invalid-value broadcast\.chatter:7\[1\]: .*"coder"/],
  ["an agent that is named twice", { "chatter:7": ["main", "main"] }, {}, /\[1\]: "main" is in the list already/],
  ["no agents", { "chatter:7": [] }, {}, /^invalid-value broadcast/],
  ["an id without any channel", { "7": ["main"] }, { channels: {} }, /no channel is configured/],
  ["a channel without an account", { "chatter:7": ["main"] }, { channels: {} }, /"chatter" is not configured/],
  ["the chat that names its sessions", { "webchat:7": ["main"] }, {}, /name their session/],
  ["an account of no channel", { "chater/work:7": ["main"] }, {}, /needs a configured channel in front: "chatter:…"/],
  ["an account that is not there", { "chatter/wrk:7": ["main"] }, {}, /has no account "wrk"/],
  ["another strategy", { strategy: "random" }, {}, /^invalid-value broadcast\.strategy: /],
  ["one session for everything", { "chatter:7": ["main"] }, { session: { scope: "global" } }, /^invalid-value broadcast: .*per-sender/],
])("refuses %s", async (_name, broadcast, others, expected) => {
  const found = await problems(broadcast, others);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(expected);
});

test.each([["chatter:7"], ["chatter/default:7"], ["-1007"], ["!room:host"]])("accepts the peer %s", async (peer) => {
  expect(await problems({ strategy: "sequential", [peer]: ["coder", "main"] })).toEqual([]);
});

test("keeps the strategy and the lists apart", async () => {
  const { valid } = await validateDocument({ broadcast: { "-1007": ["main"] }, channels: CHANNELS }, sampleChannels().channels);
  expect(valid?.parsed.broadcast).toEqual({ strategy: "parallel", peers: { "-1007": ["main"] } });
});
