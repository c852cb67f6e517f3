import { expect, test } from "vitest";
import { sampleChannels } from "../../test/sample.ts";
import { validateDocument } from "./validate-document.ts";

const ACCOUNT = { appId: "a", appSecret: "b", transport: { type: "websocket" } };
const BOTH = { default: ACCOUNT, work: ACCOUNT };

async function problems(target: string, accounts: object = BOTH): Promise<readonly string[]> {
  const heartbeat = { every: "30m", target };
  const document = {
    agents: { defaults: { heartbeat }, list: [{ id: "main" }, { id: "other", heartbeat }] },
    channels: { chatter: { accounts } },
  };
  const { problems: found } = await validateDocument(document, sampleChannels().channels);
  return found.map(({ type, path, message }) => `${type} ${path}: ${message}`);
}

test.each([
  ["chater:4711", BOTH, /^unknown-channel agents\.\S+\.target: this build has no channel "chater".*"chatter".*<channel>:<address>/],
  ["pigeon/home:user:1", BOTH, /^unknown-channel agents\.\S+\.target: this build has no channel "pigeon"/],
  ["chatter/wrk:4711", BOTH, /^notice agents\.\S+\.target: .* this account, .*: name one of chatter\/default, chatter\/work$/],
  ["chatter:4711", { home: ACCOUNT, work: ACCOUNT }, /^notice agents\.\S+\.target: .* one account, .*: name one of chatter\/home/],
  ["chatter:4711", {}, /^notice agents\.\S+\.target: .*: it has no account$/],
])("reports the target %s wherever it is set", async (target, accounts, expected) => {
  const found = await problems(target, accounts);
  expect(found).toEqual([expect.stringMatching(expected), expect.stringMatching(expected)]);
  expect(found.map((one) => /agents\.(\S+)\.heartbeat/.exec(one)?.[1])).toEqual(["defaults", "list[1]"]);
});

test.each([
  "owner",
  "last",
  "none",
  "4711",
  "user:4711",
  "-100123:topic:5",
  "!room:example.org",
  "chatter:4711",
  "chatter/work:user:1",
  "webchat:x",
])("accepts the target %s", async (target) => {
  expect(await problems(target)).toEqual([]);
});

test("accepts a channel's only account, whatever its name is", async () => {
  expect(await problems("chatter:4711", { home: ACCOUNT })).toEqual([]);
});
