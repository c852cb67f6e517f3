import { expect, test } from "vitest";
import { sampleChannels } from "../../test/sample.ts";
import { validateDocument } from "./validate-document.ts";

const chatter = (accounts: object): object => ({ chatter: { accounts } });
const ACCOUNT = { appId: "a", appSecret: "b", transport: { type: "websocket" } };

async function problems(
  bindings: readonly object[],
  channels: object = chatter({ default: ACCOUNT, work: ACCOUNT }),
): Promise<readonly string[]> {
  const { problems: found } = await validateDocument({ bindings, channels }, sampleChannels().channels);
  return found.map(({ type, path, message }) => `${type} ${path}: ${message}`);
}

const to = (match: object): object => ({ agentId: "main", match: { channel: "chatter", ...match } });

test.each([
  ["a channel that is not there", [to({ channel: "chater" })], /^unknown-channel bindings\[0\]\.match\.channel: .*"chatter"/],
  ["an account that is not there", [to({ accountId: "wrk" })], /^notice bindings\[0\]\.match\.accountId: this account .* default, work/],
  ["two ids of one place", [to({ guildId: "1", teamId: "2" })], /^invalid-value bindings\[0\]\.match: guildId and teamId/],
  ["a repeated match", [to({}), to({ accountId: "default" })], /^notice bindings\[1\]\.match: bindings\[0\] has the same match/],
  [
    "the same roles in another order",
    [to({ guildId: "1", roles: ["a", "b"] }), to({ guildId: "1", roles: ["b", "a"] })],
    /^notice bindings\[1\]\.match: bindings\[0\]/,
  ],
])("reports %s", async (_name, bindings, expected) => {
  const found = await problems(bindings);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(expected);
});

test("names the key that is missing, and the one that was meant", async () => {
  expect(await problems([{ agent: "nosuch", match: { channel: "chatter" } }])).toEqual([
    expect.stringMatching(/^unknown-key bindings\[0\]\.agent: there is no such key.*agentId/) as string,
    expect.stringMatching(/^invalid-value bindings\[0\]\.agentId: this key is needed and is missing: /) as string,
  ]);
});

test("names the account default for a binding without accountId", async () => {
  expect(await problems([to({})], chatter({ work: ACCOUNT }))).toEqual([
    'notice bindings[0].match.accountId: without accountId the binding is for the account "default", which is not configured, so the binding matches nothing: the channel has work; * stands for all',
  ]);
});

test("accepts bindings that can match", async () => {
  const peer = { kind: "group", id: "7" };
  const bindings = [to({}), to({ accountId: "*" }), to({ accountId: "work" }), to({ peer }), to({ guildId: "1" }), to({ teamId: "1" })];
  expect(await problems([...bindings, { agentId: "main", match: { channel: "webchat" } }])).toEqual([]);
});
