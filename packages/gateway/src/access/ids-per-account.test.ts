import type { MsgContext } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { personId, scopedOrigin } from "../kernel/person-id.ts";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

/** The owner list has `owners`, and a second account is open to everybody. */
async function start(hasIdsPerAccount: boolean, owners: readonly string[]) {
  const server = await startAnthropicServer();
  server.respond(() => textReply("Well."));
  const [home, office] = [new TestPlatform(), new TestPlatform()];
  home.hasIdsPerAccount = hasIdsPerAccount;
  office.hasIdsPerAccount = hasIdsPerAccount;
  const open = { dmPolicy: "open", allowFrom: ["*"], groupPolicy: "open", groups: {} } as const;
  const running = await startTestGateway({
    platform: home,
    accountConfig: open,
    accounts: [{ ...office.account({ accountId: "office", ...open }), accountId: "office" }],
    patch: (config) => withModel(server.baseUrl)({ ...config, commands: { ...config.commands, ownerAllowFrom: [...owners] } }),
  });
  const say = async (platform: TestPlatform, text: string, conversation: MsgContext["origin"]["conversation"]): Promise<string> => {
    const before = platform.sent.length;
    const accountId = platform === home ? "default" : "office";
    await platform.say(platform.message(text, { origin: { channel: "test", accountId, conversation }, mentionsBot: true }));
    await platform.waitForSends(before + 1);
    const { outbound } = platform.sent[before] ?? {};
    return outbound?.type === "text" ? outbound.text : "";
  };
  return {
    home,
    office,
    server,
    say,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const DIRECT = { kind: "direct", id: "dm-1" } as const;
const GROUP = { kind: "group", id: "#team" } as const;

test.each([
  // [ids per account, owner list, is the owner at home, is the owner at the office]
  [true, "test:owner-1", true, false],
  [true, "test/office:owner-1", false, true],
  [true, "test/default:owner-1", true, false],
  [false, "test:owner-1", true, true],
  [false, "test/office:owner-1", false, true],
] as const)(
  "with ids per account %s, the owner entry %s counts at home %s and in the second account %s",
  async (perAccount, entry, home, office) => {
    await using scene = await start(perAccount, [entry]);
    expect((await scene.say(scene.home, "/whoami", DIRECT)).includes("You are the owner.")).toBe(home);
    const answer = await scene.say(scene.office, "/whoami", DIRECT);
    expect(answer.includes("You are the owner.")).toBe(office);
    expect(answer).toContain(perAccount ? "Sender test/office:owner-1" : "Sender test:owner-1");
  },
);

test.each([
  [true, ["agent:main:test:group:#team", "agent:main:test:office:group:#team"]],
  [false, ["agent:main:test:group:#team", "agent:main:test:group:#team"]],
] as const)("with ids per account %s, groups with equal ids have the sessions %s", async (perAccount, keys) => {
  await using scene = await start(perAccount, []);
  for (const [index, platform] of [scene.home, scene.office].entries())
    expect(await scene.say(platform, "/whoami", GROUP)).toContain(`Session ${keys[index] ?? ""}`);
  await scene.say(scene.home, "the password is swordfish", GROUP);
  await scene.say(scene.office, "what was said here?", GROUP);
  expect(JSON.stringify(scene.server.requests.at(-1)?.body).includes("swordfish")).toBe(!perAccount);
});

test("the account default needs no scope, and a stored scope stays where the channel does not run", () => {
  const origin = { channel: "test", accountId: "office", conversation: GROUP };
  expect(personId(scopedOrigin(origin, {}), "ann")).toBe("test/office:ann");
  expect(personId(scopedOrigin({ ...origin, accountId: "default" }, {}), "ann")).toBe("test:ann");
  expect(personId(scopedOrigin({ ...origin, idScope: "account" }, undefined), "ann")).toBe("test/office:ann");
  expect(personId(scopedOrigin({ ...origin, idScope: "account" }, { idScope: "platform" }), "ann")).toBe("test:ann");
});
