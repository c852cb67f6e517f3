import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

let count = 0;

async function talk(client: TestClient, sessionKey: string, message: string): Promise<void> {
  await client.call("agent", { message, sessionKey, idempotencyKey: `talk-${(count += 1)}` });
}

async function withTalks(body: (client: TestClient, running: TestGateway) => Promise<void>): Promise<void> {
  await using server = await startAnthropicServer();
  server.script([
    textReply("The boiler was serviced by Größmann, 50%_sure."),
    textReply("乌龙茶在左边的柜子里。"),
    textReply("Nothing about it."),
  ]);
  await using running = await startTestGateway({ patch: withModel(server.baseUrl) });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await talk(client, "agent:main:house", "Who serviced the boiler?");
  await talk(client, "agent:main:tea", "我的乌龙茶在哪里？");
  await talk(client, "agent:main:other", "Anything new?");
  await client.call("sessions.patch", { key: "agent:main:tea", label: "Tea cupboard" });
  await body(client, running);
}

test("messages and titles are found by every word, in any script and case, with the words marked", async () => {
  await withTalks(async (client) => {
    const boiler = await client.call("sessions.search", { text: "BOILER  serviced" });
    expect(boiler.hits.map(({ key, role }) => [key, role])).toEqual([
      ["agent:main:house", "assistant"],
      ["agent:main:house", "user"],
    ]);
    const [hit] = boiler.hits;
    expect(hit?.matches.map(([start, end]) => hit.snippet.slice(start, end))).toEqual(["boiler", "serviced"]);
    expect(boiler).not.toHaveProperty("cursor");
    const tea = await client.call("sessions.search", { text: "乌龙茶" });
    expect(tea.hits).toMatchObject([
      { key: "agent:main:tea", title: "Tea cupboard", role: "assistant", isCurrent: true },
      { key: "agent:main:tea", role: "user", snippet: "我的乌龙茶在哪里？", matches: [[2, 5]] },
    ]);
    expect((await client.call("sessions.search", { text: "GRÖSSMANN" })).hits).toEqual([]);
    expect((await client.call("sessions.search", { text: "grÖßmann" })).hits).toHaveLength(1);
    // Signs with a meaning for the search in the database have none here.
    expect((await client.call("sessions.search", { text: "50%_sure" })).hits).toHaveLength(1);
    expect((await client.call("sessions.search", { text: "50%%sure" })).hits).toEqual([]);
    expect(await client.call("sessions.search", { text: "cupboard" })).toMatchObject({ titles: [{ key: "agent:main:tea" }], hits: [] });
    expect((await client.call("sessions.search", { text: "boiler", agentId: "stranger" })).hits).toEqual([]);
    // What only the stored form has is not shown, so it is not found.
    expect((await client.call("sessions.search", { text: "claude-sonnet" })).hits).toEqual([]);
  });
});

test("a page ends at its limit, and the next one continues; a conversation from before a reset is found, a deleted one is not", async () => {
  await withTalks(async (client) => {
    const first = await client.call("sessions.search", { text: "boiler", limit: 1 });
    expect(first.hits).toHaveLength(1);
    const second = await client.call("sessions.search", { text: "boiler", limit: 1, cursor: first.cursor ?? "" });
    expect(second).toMatchObject({ titles: [], hits: [{ role: "user" }] });
    await client.call("sessions.reset", { key: "agent:main:house" });
    const { hits } = await client.call("sessions.search", { text: "boiler" });
    expect(hits).toMatchObject([{ isCurrent: false }, { isCurrent: false }]);
    for (const { entryId, turnId, sessionId } of hits)
      expect(await client.call("messages.trace", { entryId })).toMatchObject({ turnId, sessionId, sessionKey: "agent:main:house" });
    await client.call("sessions.delete", { key: "agent:main:house" });
    expect((await client.call("sessions.search", { text: "boiler" })).hits).toEqual([]);
  });
});
