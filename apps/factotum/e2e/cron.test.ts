import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTelegramScene, type TelegramScene } from "./telegram-scene.ts";

interface Listed {
  readonly jobs: readonly { readonly id: string; readonly spec: { readonly name: string }; readonly createdIn: string }[];
}
interface Runs {
  readonly runs: readonly { readonly state: string; readonly reason?: string; readonly text?: string }[];
}

const texts = (sent: readonly { readonly text: string }[]): readonly string[] => sent.map(({ text }) => text);

function commands(scene: TelegramScene) {
  const cron = async (...args: readonly string[]) => runCommand(["cron", ...args], { home: scene.product.home });
  const json = async <Result>(...args: readonly string[]): Promise<Result> => JSON.parse((await cron(...args, "--json")).stdout) as Result;
  return { cron, list: async () => (await json<Listed>("list")).jobs, runs: async (job: string) => (await json<Runs>("runs", job)).runs };
}

test("a job made in a chat reports there, is known there, and runs once although the gateway is killed", async () => {
  await using scene = await startTelegramScene("webhook");
  const { model } = scene;
  const { cron, list, runs } = commands(scene);
  const job = { action: "add", name: "tea", every: "1h", task: "Say that the tea is ready." };
  model.respond(({ body }) =>
    JSON.stringify(body?.["messages"]).includes("toolu_") || JSON.stringify(body?.["messages"]).includes("tool_result")
      ? sayText("I will tell you.")
      : callTools({ name: "tool_call", arguments: { name: "cron", arguments: job } }),
  );
  await scene.say("Tell me every hour when the tea is ready.");
  await scene.shown((sent) => sent.some(({ text }) => text === "I will tell you."));
  const [made] = await list();
  expect(made).toMatchObject({ spec: { name: "tea" } });
  expect((await cron("get", "tea")).stdout).toMatch(/Say that the tea is ready\.[^]*runs with the authority of the owner/);

  model.respond(() => sayText("The tea is ready."));
  expect(await cron("run", "tea")).toMatchObject({ code: 0, stdout: expect.stringContaining("Started") as string });
  await scene.shown((sent) => texts(sent).includes("The tea is ready."));
  await expect.poll(async () => (await runs("tea")).map(({ state }) => state)).toEqual(["done"]);
  await scene.killAndStart();
  model.respond(() => sayText("Green tea."));
  await scene.say("Which tea?");
  const sent = await scene.shown((all) => texts(all).includes("Green tea."));
  expect(texts(sent).filter((text) => text === "The tea is ready.")).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1)?.body?.["messages"])).toContain("The tea is ready.");
  expect((await list()).map(({ id }) => id)).toEqual([made?.id]);

  // A run that removes its own job still says why.
  model.respond(({ body }) =>
    JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1)).includes("tool_result")
      ? sayText("There is no tea left.")
      : callTools({ name: "tool_call", arguments: { name: "cron", arguments: { action: "remove", job: "tea" } } }),
  );
  await cron("run", "tea");
  await scene.shown((all) => texts(all).includes("There is no tea left."));
  await expect.poll(list).toEqual([]);
});

test("the owner makes, tries, changes and removes jobs that need no model, and what a check leaves out costs nothing", async () => {
  await using scene = await startTelegramScene("webhook");
  const { model, workspace } = scene;
  const { cron, list, runs } = commands(scene);
  const nowhere = await cron("add", "early", "--at", "20m", "--text", "x");
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere to report: the owner has not written yet") as string });
  model.respond(() => sayText("Hello."));
  await scene.say("Hello");
  await scene.shown((sent) => sent.length === 1);
  const asked = model.requests.length;

  expect((await cron("next", "--cron", "0 8 * * *", "--timezone", "Asia/Tokyo", "--count", "2")).stdout).toMatch(
    /^(\w{3} \d{4}-\d\d-\d\d 08:00 Asia\/Tokyo\n){2}$/,
  );
  expect(await cron("add", "once", "--at", "1s", "--text", "Time is up.")).toMatchObject({ code: 0 });
  await scene.shown((sent) => texts(sent).includes("Time is up."));
  await expect.poll(list).toEqual([]);

  expect(await cron("add", "echo", "--every", "1d", "--", process.execPath, "-e", "console.log('from a program')")).toMatchObject({
    code: 0,
  });
  await cron("run", "echo");
  await scene.shown((sent) => sent.some(({ text }) => text.includes("from a program")));

  const file = path.join(workspace, "inbox.txt");
  await writeFile(file, "one");
  const checked = [
    "add",
    "look",
    "--every",
    "1d",
    "--task",
    "Sum it up.",
    "--check",
    JSON.stringify([process.execPath, "-e", "process.exit(1)"]),
  ];
  expect(await cron(...checked)).toMatchObject({ code: 0 });
  await cron("run", "look");
  await expect
    .poll(async () => (await runs("look"))[0])
    .toMatchObject({ state: "skipped", reason: expect.stringMatching(/^gate/) as string });
  expect(model.requests).toHaveLength(asked);

  expect(await cron("update", "look", "--unset", "check", "--text", "No model.")).toMatchObject({ code: 0 });
  await cron("run", "look");
  await scene.shown((sent) => texts(sent).includes("No model."));
  expect(await cron("update", "look", "--disabled")).toMatchObject({ stdout: expect.stringContaining("disabled") as string });
  expect(await cron("remove", "look")).toMatchObject({ code: 0 });
  expect(await cron("run", "look")).toMatchObject({ code: 1, stderr: expect.stringContaining("no job") as string });
  expect(await cron("add", "bad", "--cron", "0 25 * * *", "--text", "x")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("25") as string,
  });
  expect(await cron("add", "bad", "--text", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("at, every and cron") as string,
  });
  expect((await list()).map(({ spec }) => spec.name)).toEqual(["echo"]);
  expect(model.requests).toHaveLength(asked);
});
