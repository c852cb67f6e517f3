import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { test } from "vitest";
import { startQuietFeishu, startQuietTelegram, startQuietWebchat } from "./quiet-scenes.ts";

const ALERT = "The oven is on.";
/** The token in the middle of a text means nothing. */
const MIDDLE = "I do not say HEARTBEAT_OK: the door is open.";
/** What heartbeats answer, one after the other; the last is repeated. */
const ANSWERS = ["HEARTBEAT_OK", "HEARTBEAT_OK Nothing is due.", "Nothing is due. HEARTBEAT_OK", MIDDLE, MIDDLE, ALERT, ALERT];
const SLOW = { timeout: 60_000 };

test.concurrent.for([
  ["Feishu", startQuietFeishu],
  ["Telegram", startQuietTelegram],
  ["WebChat", startQuietWebchat],
] as const)(
  "on %s, every silent answer sends nothing, an alert is sent once, also over kills, and a reply to it is understood",
  async ([, start], { expect }) => {
    await using scene = await start();
    const { home, model } = scene;
    const command = async (...args: readonly string[]) => runCommand(args, { home });
    const heartbeat = async (value: string): Promise<void> =>
      expect(await command("config", "set", "agents.defaults.heartbeat", value)).toMatchObject({ code: 0 });
    const cron = async (...args: readonly string[]) => command("cron", ...args);
    const timesShown = async (text: string): Promise<number> => (await scene.shown()).filter((one) => one.includes(text)).length;
    model.respond(() => sayText("Hello."));
    await scene.say("Hello");
    await expect.poll(async () => timesShown("Hello."), SLOW).toBe(1);
    const asked = model.requests.length;
    model.respond(() => sayText(ANSWERS[Math.min(model.requests.length - asked, ANSWERS.length) - 1] ?? ""));
    await writeFile(path.join(scene.workspace, "HEARTBEAT.md"), "- Look at the oven.\n");
    await heartbeat('{ every: "1s" }');
    await expect.poll(() => model.requests.length, SLOW).toBeGreaterThan(asked + ANSWERS.length);
    await expect.poll(async () => timesShown(ALERT), SLOW).toBe(1);
    await scene.killAndStart();
    const before = model.requests.length;
    await heartbeat('{ every: "1s" }');
    await expect.poll(() => model.requests.length, SLOW).toBeGreaterThan(before + 1);

    await heartbeat('{ every: "1s", activeHours: { start: "08:00", end: "08:00" } }');
    await expect.poll(async () => (await command("status")).stdout, SLOW).toContain("quiet-hours");
    const inQuietHours = model.requests.length;
    model.respond(() => sayText("NO_REPLY"));
    expect(await cron("add", "quiet", "--every", "1d", "--task", "Say nothing.")).toMatchObject({ code: 0 });
    expect(await cron("run", "quiet")).toMatchObject({ code: 0 });
    await expect.poll(async () => (await cron("runs", "quiet")).stdout, SLOW).toContain("done");
    expect(model.requests).toHaveLength(inQuietHours + 1);
    model.respond(() => sayText("Written."));
    expect(await cron("update", "quiet", "--text", "Time is up.")).toMatchObject({ code: 0 });
    expect(await cron("run", "quiet")).toMatchObject({ code: 0 });
    await expect.poll(async () => timesShown("Time is up."), SLOW).toBe(1);

    await scene.killAndStart();
    await heartbeat("off");
    model.respond(() => sayText("It is downstairs."));
    await scene.say("Which oven? And what time?");
    await expect.poll(async () => timesShown("It is downstairs."), SLOW).toBe(1);
    const context = JSON.stringify(model.requests.at(-1)?.body?.["messages"]);
    expect(context).toContain(ALERT);
    expect(context).toContain("Time is up.");
    for (const text of ["Hello.", MIDDLE, ALERT, "Time is up.", "It is downstairs."]) expect(await timesShown(text)).toBe(1);
    expect(await scene.shown()).toHaveLength(5);
    expect(scene.everShown()).not.toMatch(/Nothing is due|NO_REPLY|HEARTBEAT_OK(?!:)/);
  },
);
