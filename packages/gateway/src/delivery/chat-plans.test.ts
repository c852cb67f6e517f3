import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform("platform", { edit: true });
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (): Promise<TestGateway> => startTestGateway({ platform, patch: withModel(server.baseUrl) });

type Status = "pending" | "in_progress" | "completed";
const plan = (...statuses: readonly Status[]) =>
  toolReply({ name: "update_plan", input: { plan: statuses.map((status, index) => ({ step: `Step ${index + 1}`, status })) } });

/** Sends a message and returns what was sent since: texts, and edits with their target. */
async function say(running: TestGateway, text: string): Promise<string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  return platform.sent
    .slice(before)
    .map(({ outbound }) =>
      outbound.type === "edit" ? `edit: ${outbound.text}` : outbound.type === "text" ? outbound.text : outbound.type,
    );
}

const FIRST = "**Plan**\n- ▶️ Step 1\n- ◻️ Step 2";
const SECOND = "**Plan**\n- ✅ Step 1\n- ▶️ Step 2";

test("is one message of the turn, edited for each change; the next turn has its own", async () => {
  await using running = await start();
  server.script([plan("in_progress", "pending"), plan("completed", "in_progress"), plan("completed", "completed"), textReply("Done.")]);
  expect(await say(running, "do it")).toEqual([FIRST, `edit: ${SECOND}`, "edit: **Plan**\n- ✅ Step 1\n- ✅ Step 2", "Done."]);
  const targets = platform.sent.flatMap(({ outbound }) => (outbound.type === "edit" ? [outbound.targetId] : []));
  expect(new Set(targets).size).toBe(1);
  server.script([plan("in_progress", "pending"), textReply("Done again.")]);
  expect(await say(running, "and again")).toEqual([FIRST, "Done again."]);
});

test("the same plan changes nothing, and the 21st change is not shown", async () => {
  await using running = await start();
  const changes = Array.from({ length: 22 }, (_, index) =>
    toolReply({ name: "update_plan", input: { plan: [{ step: `Read file ${index}`, status: "in_progress" }] } }),
  );
  server.script([plan("pending", "pending"), plan("pending", "pending"), ...changes, textReply("Done.")]);
  const sent = await say(running, "do it");
  expect(sent.filter((text) => text.startsWith("edit: "))).toHaveLength(20);
  expect(sent).toHaveLength(22);
});

describe("is not shown", () => {
  test("in a chat that cannot edit messages", async () => {
    platform = new TestPlatform("platform", { edit: false });
    await using running = await start();
    server.script([plan("in_progress"), plan("completed"), textReply("Done.")]);
    expect(await say(running, "do it")).toEqual(["Done."]);
  });

  test("where the send policy lets nothing be sent", async () => {
    await using running = await start();
    server.script([textReply("Hello.")]);
    await say(running, "hi");
    await say(running, "/send off");
    server.script([plan("in_progress"), textReply("Done.")]);
    expect(await say(running, "do it")).toEqual([]);
  });

  test("any more once the platform refuses an edit: nothing is sent in its place", async () => {
    await using running = await start();
    platform.answer = (outbound) =>
      outbound.type === "edit" ? { type: "rejected", code: "forbidden", retry: { type: "never" } } : undefined;
    server.script([plan("in_progress", "pending"), plan("completed", "in_progress"), textReply("Waiting."), textReply("Done.")]);
    const sent = await say(running, "do it");
    expect(sent.filter((text) => !text.startsWith("edit: "))).toEqual([FIRST, "Waiting."]);
  });
});
