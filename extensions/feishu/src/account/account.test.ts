import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
import type { Channel } from "@factotum/channel-contract";
import { FakeFeishu } from "@factotum/testing-channels";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFeishuChannel } from "../index.ts";
import { SCOPES } from "./scopes.ts";

const signal = new AbortController().signal;
let feishu: FakeFeishu;
let channel: Channel;

const make = (appSecret = feishu.app.appSecret): Channel => {
  const { appId } = feishu.app;
  return createFeishuChannel(
    { appId, appSecret, domain: "feishu", baseUrl: feishu.baseUrl, transport: { type: "websocket" } },
    new TestHost(),
  );
};
beforeEach(async () => {
  const members = Array.from({ length: 150 }, (_, index) => ({ openId: `ou_${index}`, name: `Person ${index}` }));
  feishu = await FakeFeishu.start({
    chats: ["oc_dm", "oc_garden", "oc_kitchen"],
    chatInfo: {
      oc_garden: { name: "Garden", members: [{ openId: "ou_alice", name: "Alice" }] },
      oc_kitchen: { name: "Kitchen garden", members },
    },
  });
  channel = make();
});
afterEach(async () => {
  await channel.stop({ signal: AbortSignal.abort() });
  await feishu[Symbol.asyncDispose]();
});

describe("a probe", () => {
  test("names the bot and the scopes that its app lacks, without starting", async () => {
    feishu.app.scopes.clear();
    for (const scope of ["im:message", "im:chat:readonly"]) feishu.app.scopes.add(scope);
    expect(await channel.probe?.({ signal })).toEqual({
      account: { id: feishu.app.bot.openId, name: "Factotum" },
      missingPermissions: ["im:message.group_msg", "im:resource", "cardkit:card:write"],
    });
    expect(channel.health().state).toBe("starting");
  });

  test("finds nothing missing in an app with all scopes", async () => {
    for (const { scope } of Object.values(SCOPES)) feishu.app.scopes.add(scope);
    expect((await channel.probe?.({ signal }))?.missingPermissions).toEqual([]);
  });

  test("rejects a wrong secret", async () => {
    const wrong = make("wrong");
    await expect(wrong.probe?.({ signal })).rejects.toMatchObject({ code: "unauthorized" });
    await wrong.stop({ signal });
  });
});

describe("the directory", () => {
  const find = async (query: string, limit = 10) =>
    (await channel.directory?.(query, { signal, limit }))?.map(({ type, id, name }) => [type, id, name]);

  test("finds groups and people by a part of their name or by id", async () => {
    expect(await find("garden")).toEqual([
      ["group", "oc_garden", "Garden"],
      ["group", "oc_kitchen", "Kitchen garden"],
    ]);
    expect(await find("ALICE")).toEqual([["person", "ou_alice", "Alice"]]);
    expect(await find("ou_149")).toEqual([["person", "ou_149", "Person 149"]]);
    expect(await find("nobody")).toEqual([]);
  });

  test("keeps to the limit", async () => {
    expect(await find("person", 3)).toHaveLength(3);
  });

  test("says which scope is missing", async () => {
    feishu.app.scopes.clear();
    await expect(channel.directory?.("garden", { signal, limit: 1 })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("im:chat:readonly") as string,
    });
  });
});

test("the page of the channel names every scope that it uses", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/feishu.md"), "utf8");
  for (const { scope } of Object.values(SCOPES)) expect(page).toContain(`\`${scope}\``);
});
