import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTelegramScene } from "./telegram-scene.ts";

test("the assistant wakes itself up: silent with nothing to do, and one alert for one reason, also after a kill", async () => {
  await using scene = await startTelegramScene("webhook");
  const { model, product } = scene;
  const status = async (): Promise<string> => (await runCommand(["status"], { home: scene.product.home })).stdout;
  model.respond(() => sayText("Hello."));
  await scene.say("Hello");
  await scene.shown((sent) => sent.length === 1);
  // A start of the scene writes its configuration again.
  const switchOn = async (): Promise<number | null> =>
    (await runCommand(["config", "set", "agents.defaults.heartbeat", '{ every: "1s" }'], { home: product.home })).code;
  expect(await switchOn()).toBe(0);
  await expect.poll(status).toMatch(/heartbeat of main: last .*: skipped \(nothing-to-do\)/);
  expect(model.requests).toHaveLength(1);
  model.respond(() => sayText("The oven is on."));
  await writeFile(path.join(scene.workspace, "HEARTBEAT.md"), "- Look at the oven.\n");
  const alerted = await scene.shown((sent) => sent.length === 2);
  expect(alerted.at(-1)?.text).toBe("The oven is on.");
  await scene.killAndStart();
  expect(await switchOn()).toBe(0);
  const before = model.requests.length;
  await expect.poll(() => model.requests.length).toBeGreaterThan(before + 1);
  model.respond(() => sayText("HEARTBEAT_OK"));
  const after = model.requests.length;
  await expect.poll(() => model.requests.length).toBeGreaterThan(after + 1);
  model.respond(() => sayText("It is downstairs."));
  await runCommand(["config", "set", "agents.defaults.heartbeat", "off"], { home: product.home });
  await scene.say("Which oven?");
  const sent = await scene.shown((all) => all.some(({ text }) => text === "It is downstairs."));
  expect(sent.map(({ text }) => text)).toEqual(["Hello.", "The oven is on.", "It is downstairs."]);
  expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toContain("The oven is on.");
  await rm(path.join(scene.workspace, "HEARTBEAT.md"));
  const event = async (text: string, ...more: readonly string[]): Promise<string> =>
    (await runCommand(["system", "event", "--text", text, ...more], { home: product.home })).stdout;
  const eventsShown = (text: string): number => {
    const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[];
    return messages.filter((message) => JSON.stringify(message).includes(text)).length;
  };
  expect(await event("The bell rings.")).toBe("The next turn of agent:main:main shows it.\n");
  await scene.killAndStart();
  model.respond(() => sayText("Somebody is at the door."));
  await scene.say("Anything new?");
  await scene.shown((all) => all.some(({ text }) => text === "Somebody is at the door."));
  expect(eventsShown("The bell rings.")).toBe(1);
  await runCommand(["config", "set", "agents.defaults.heartbeat", '{ every: "6h" }'], { home: product.home });
  model.respond(() => sayText("The post is there."));
  await event("A parcel has come.", "--mode", "now");
  await scene.shown((all) => all.at(-1)?.text === "The post is there.");
  expect([eventsShown("The bell rings."), eventsShown("A parcel has come.")]).toEqual([1, 1]);

  const heartbeat = async (...args: readonly string[]) => runCommand(["heartbeat", ...args], { home: product.home });
  expect((await heartbeat("list")).stdout).toMatch(/^main: every 6h, to owner, next .*\n  last: .* done \(asked for/);
  // With a prompt of its own it has something to do.
  await runCommand(["config", "set", "agents.defaults.heartbeat", '{ every: "6h", prompt: "Is it late?" }'], { home: product.home });
  model.respond(() => sayText("It is late."));
  expect(await heartbeat("run")).toMatchObject({ code: 0, stdout: "Started: the heartbeat of main\n" });
  await scene.shown((all) => all.at(-1)?.text === "It is late.");
  await expect.poll(async () => (await heartbeat("runs", "--limit", "1")).stdout).toMatch(/done \(asked for, .*"It is late\."/s);
  await runCommand(["config", "set", "agents.defaults.heartbeat", "off"], { home: product.home });
  expect(await heartbeat("run")).toMatchObject({ code: 1, stderr: expect.stringContaining("has no heartbeat") as string });
});
