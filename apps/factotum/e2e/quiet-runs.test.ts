import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startFeishuScene } from "./feishu-scene.ts";

/** What heartbeats answer, one after the other; the last is repeated. */
const ANSWERS = ["HEARTBEAT_OK", "HEARTBEAT_OK Nothing is due.", "Nothing is due. HEARTBEAT_OK", "The oven is on.", "The oven is on."];

test("on Feishu, every silent answer sends nothing, and an alert is sent once, also after a kill", async () => {
  await using scene = await startFeishuScene();
  const { feishu, model } = scene;
  const set = async (key: string, value: string): Promise<void> =>
    expect((await runCommand(["config", "set", key, value], { home: scene.product.home })).code).toBe(0);
  const sent = (): string => JSON.stringify(feishu.sent);
  const alerts = (): number => sent().split("The oven is on.").length - 1;
  model.respond(() => sayText("Hello."));
  await scene.push();
  await scene.waitForSent(1);
  const asked = model.requests.length;
  model.respond(() => sayText(ANSWERS[Math.min(model.requests.length - asked, ANSWERS.length) - 1] ?? ""));
  await writeFile(path.join(scene.workspace, "HEARTBEAT.md"), "- Look at the oven.\n");
  await set("agents.defaults.heartbeat", '{ every: "1s" }');
  await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBeGreaterThan(asked + ANSWERS.length);
  await expect.poll(alerts, { timeout: 30_000 }).toBe(1);
  expect(sent()).not.toContain("HEARTBEAT_OK");
  expect(sent()).not.toContain("Nothing is due");

  await scene.killAndStart();
  const before = model.requests.length;
  await set("agents.defaults.heartbeat", '{ every: "1s" }');
  await expect.poll(() => model.requests.length, { timeout: 60_000 }).toBeGreaterThan(before + 1);
  await set("agents.defaults.heartbeat", "off");
  model.respond(() => sayText("NO_REPLY"));
  const cron = async (...args: readonly string[]) => runCommand(["cron", ...args], { home: scene.product.home });
  expect(await cron("add", "quiet", "--every", "1d", "--task", "Say nothing.")).toMatchObject({ code: 0 });
  expect(await cron("run", "quiet")).toMatchObject({ code: 0 });
  await expect.poll(async () => (await cron("runs", "quiet")).stdout, { timeout: 30_000 }).toContain("done");
  model.respond(() => sayText("Written."));
  expect(await cron("update", "quiet", "--text", "Time is up.")).toMatchObject({ code: 0 });
  expect(await cron("run", "quiet")).toMatchObject({ code: 0 });
  await expect.poll(sent, { timeout: 30_000 }).toContain("Time is up.");
  expect(alerts()).toBe(1);
  expect(sent()).not.toContain("NO_REPLY");
  expect(feishu.sent).toHaveLength(3);
});
