import type { ChatSubagent } from "@factotum/protocol";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { ScriptedGateway } from "../test/scripted-gateway.ts";
import { findViolations } from "./find-violations.ts";
import { LOOKS, useScriptedPage } from "./scripted-page.ts";

const MAIN = "agent:main:main";
const scene = useScriptedPage();

function subagent(index: number, more: Partial<ChatSubagent> = {}): ChatSubagent {
  return {
    runId: `run-${index}`,
    sessionKey: `agent:main:subagent:${index}`,
    parentKey: MAIN,
    agentId: "main",
    depth: 1,
    task: `Task ${index}: a task whose words are longer than a phone is wide, so that they are cut`,
    label: `Task ${index}`,
    state: "running",
    model: "demo/scripted",
    createdAtMs: Date.now() - 65_000,
    tokens: 12_345,
    costUsd: 0.02,
    activity: { type: "tool", text: "web_search" },
    ...more,
  };
}

/** A turn that has started these sub-agents. */
function spawnAll(subagents: readonly ChatSubagent[]): void {
  const { session } = scene.gateway.scripted.conversation(MAIN);
  const calls = subagents.map(({ runId }) => ({ id: `call-${runId}`, name: "sessions_spawn", argumentsText: "{}" }));
  session.say("Do them all", "k-all");
  session.startRun();
  session.commitAnswer(calls, "toolUse");
  for (const [index, one] of subagents.entries()) {
    const call = calls[index];
    if (call === undefined) continue;
    session.startTool(call);
    session.changeSubagent(one);
    session.endTool(call.id, JSON.stringify({ status: "accepted", runId: one.runId, sessionKey: one.sessionKey }), false);
  }
  session.startBlock("text");
  session.write("They are at it.");
  session.commitAnswer([], "stop");
  session.endRun("done");
}

const stateCount = (page: Page, state: string) => page.locator(".subagent-state", { hasText: state }).count();

test.each(LOOKS)("at $width px (dark: $dark) 20 that work are shown, and of 200 that have ended the newest", async (look) => {
  const ended = Array.from({ length: 200 }, (_, index) => subagent(index, { state: "done", endedAtMs: Date.now() - 5000 }));
  const open = Array.from({ length: 20 }, (_, index) => subagent(200 + index));
  spawnAll([...ended, ...open]);
  const page = await scene.openChat(look);
  await expect.poll(() => stateCount(page, "Running")).toBe(20);
  expect(await stateCount(page, "Done")).toBe(5);
  await page.getByText("They are at it.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
  expect(sizes.page).toBeLessThanOrEqual(sizes.window);
  const { session } = scene.gateway.scripted.conversation(MAIN);
  for (const one of open) session.changeSubagent({ ...one, state: "failed", reason: "no model", endedAtMs: Date.now() });
  await expect.poll(() => stateCount(page, "Failed")).toBe(5);
  await page.getByRole("button", { name: "Show 215 earlier ones that have ended" }).click();
  expect(await stateCount(page, "Done")).toBe(200);
});

test("open ones of turns that are not loaded are shown at the end, and a forgotten one as its call", async () => {
  spawnAll([subagent(1)]);
  const { session } = scene.gateway.scripted.conversation(MAIN);
  session.reset();
  session.changeSubagent(subagent(2));
  const page = await scene.openChat({ width: 1280 });
  await expect.poll(() => page.getByRole("list", { name: "Sub-agents of earlier turns" }).locator(".subagent").count()).toBe(2);
  const call = { id: "call-old", name: "sessions_spawn", argumentsText: '{"task":"Long ago"}' };
  session.startRun();
  session.commitAnswer([call], "toolUse");
  session.startTool(call);
  session.endTool(call.id, '{"status":"accepted","runId":"old"}', false);
  await page.locator(".tool", { hasText: "Long ago" }).waitFor();
});

test("a refused action says why where it was asked for, and a client that may only read gets no further buttons", async () => {
  spawnAll([subagent(1), subagent(2)]);
  const { scripted } = scene.gateway;
  const page = await scene.openChat({ width: 1280 });
  const row = page.locator(".subagent", { hasText: "Task 1" });
  scripted.intercept = ({ method }) =>
    method.startsWith("subagents.") ? ScriptedGateway.refusal("conflict", "This sub-agent has ended already.") : "handle";
  await row.getByRole("button", { name: "Steer" }).click();
  await page.keyboard.type("Faster");
  await page.keyboard.press("Enter");
  await row.getByRole("alert").getByText("This sub-agent has ended already.").waitFor();
  // The text is kept, and sent again as the same message.
  await page.keyboard.press("Enter");
  await expect.poll(() => scripted.requests.filter(({ method }) => method === "subagents.steer").length).toBe(2);
  const keys = scripted.requests.flatMap(({ method, params }) =>
    method === "subagents.steer" ? [(params as { readonly idempotencyKey: string }).idempotencyKey] : [],
  );
  expect(new Set(keys).size).toBe(1);
  await page.keyboard.press("Escape");
  expect(await row.getByRole("button", { name: "Steer" }).evaluate((button) => button === document.activeElement)).toBe(true);

  scripted.intercept = ({ method }) =>
    method.startsWith("subagents.") ? ScriptedGateway.refusal("forbidden", "This credential may not do this.") : "handle";
  await row.getByRole("button", { name: "Stop Task 1" }).click();
  await row.getByText("This credential may not do this.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^(?:Stop|Steer)/ }).count()).toBe(0);
  expect(await stateCount(page, "Running")).toBe(2);
});

test("what is written to one that stays open is a message of its conversation, commands included", async () => {
  const open = subagent(1, { state: "idle", isPersistent: true });
  spawnAll([open, subagent(2)]);
  const { scripted } = scene.gateway;
  const page = await scene.openChat({ width: 1280 });
  scripted.conversation(open.sessionKey).session.changeSubagent(open);
  await page.getByRole("button", { name: "Task 1", exact: true }).click();
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill("/status");
  await field.press("Enter");
  await expect
    .poll(() => scripted.requests.filter(({ method }) => method === "chat.send").map(({ params }) => params))
    .toMatchObject([{ sessionKey: open.sessionKey, text: "/status" }]);
  scripted.conversation(open.sessionKey).session.changeSubagent({ ...open, state: "killed", endedAtMs: Date.now() });
  await page.getByText("This sub-agent has ended: stopped.").waitFor();
  expect(await field.count()).toBe(0);
  expect(scripted.requests.filter(({ method }) => method === "subagents.steer")).toEqual([]);
});
