import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { button } from "./named.ts";
import { useProductPage } from "./product-page.ts";
import type { Look } from "./scripted-page.ts";

const TOKEN = "canary-hooks-token-0123456789";

const scene = useProductPage(({ server, config }) => {
  server.respond(() => sayText("**晴天** in Zürich."));
  return { config: { ...config, hooks: { token: TOKEN } } };
});

const open = (look: Look, route = "automations") => scene.open(look, route);
const nextTimes = (page: Page) => page.getByRole("list", { name: "Next times" }).getByRole("listitem").allInnerTexts();
const runs = (page: Page) => page.locator("tbody tr");
const say = async (...args: readonly string[]): Promise<string> => (await runCommand(args, scene.product)).stdout;

test("a job is made by keyboard with its next ten times in view, run, changed, switched off and back, and deleted", async () => {
  const page = await open({ width: 1280 });
  await page.getByText("A job does something at a time that you choose").waitFor();
  await button(page, "New job").press("Enter");
  await page.getByLabel("Name").fill("Weather");
  await page.getByRole("textbox", { name: "Task" }).fill("Tell me the weather.");
  await expect.poll(async () => (await nextTimes(page)).length).toBe(10);
  await page.getByLabel("Times (cron expression)").fill("0 7 * * 9");
  await page.getByRole("alert").filter({ hasText: "0 7 * * 9" }).waitFor();
  await page.getByLabel("Times (cron expression)").fill("30 7 * * 1-5");
  await page.getByLabel("Time zone").fill("Asia/Shanghai");
  await expect.poll(async () => (await nextTimes(page))[0]).toMatch(/, 07:30$/);
  expect((await nextTimes(page)).filter((time) => /^S(?:at|un)/.test(time))).toEqual([]);
  // It has no chat to report to yet, and says so.
  await button(page, "Make the job").press("Enter");
  await page.getByRole("alert").filter({ hasText: "The job has nowhere to report" }).waitFor();
  await page.getByRole("radio", { name: "Nowhere" }).press("Space");
  await button(page, "Make the job").press("Enter");
  await page.getByRole("heading", { name: "Weather", level: 1 }).waitFor();
  await page.getByText("On weekdays at 07:30 (Asia/Shanghai)").waitFor();
  // It was made outside of a conversation, and does not name one.
  await page.getByText("you, outside of a conversation").waitFor();
  expect(await page.getByText("Made in", { exact: true }).count()).toBe(0);
  await page.getByText("It has not run yet. Run it now to see what it does.").waitFor();
  expect(await findViolations(page)).toEqual([]);

  await button(page, "Run now").press("Enter");
  await runs(page).filter({ hasText: "Done" }).filter({ hasText: "晴天 in Zürich." }).waitFor();
  expect(await runs(page).innerText()).toMatch(/started by hand[^]*tokens/);

  await button(page, "Change").press("Enter");
  await page.getByRole("textbox", { name: "Task" }).fill("Tell me the weather of tomorrow.");
  await page.getByText("More settings").press("Enter");
  await page.getByLabel("Tools").fill("read web_fetch");
  await page.getByLabel("Runs only if").selectOption({ label: "a file or folder has changed" });
  await page.getByLabel("File or folder", { exact: true }).fill("inbox");
  await button(page, "Save").press("Enter");
  await page.getByText("Tell me the weather of tomorrow.").waitFor();
  await page.getByText("read, web_fetch").waitFor();
  await page.getByText(/inbox.? has changed/).waitFor();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Change");
  expect(JSON.parse(await say("cron", "get", "Weather", "--json"))).toMatchObject({
    job: {
      spec: {
        check: { type: "fileChanged", path: "inbox" },
        tools: ["read", "web_fetch"],
        schedule: { cron: "30 7 * * 1-5", timezone: "Asia/Shanghai" },
        delivery: { type: "none" },
      },
    },
  });

  await button(page, "Switch off").press("Enter");
  await page.getByText("Off", { exact: true }).waitFor();
  await button(page, "Undo").press("Enter");
  await page.getByText("On", { exact: true }).waitFor();
  await button(page, "Delete…").press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByText("A job does something at a time that you choose").waitFor();
  expect(await say("cron", "list")).toBe("");
});

test("jobs of the command line appear by themselves, also after a kill of the gateway, and are readable in Chinese at 360 px", async () => {
  const page = await open({ width: 360, dark: true, locale: "zh-CN" });
  await page.getByRole("heading", { name: "自动化", level: 1 }).waitFor();
  await say("cron", "add", "מזג אוויר", "--cron", "0 7 * * *", "--task", "Tell me.", "--silent");
  const item = page.getByRole("listitem").filter({ hasText: "מזג אוויר" });
  await item.getByText("每天 07:00").waitFor();
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
  await scene.product.end("SIGKILL");
  await page.getByText("已连接", { exact: true }).waitFor({ state: "detached" });
  await item.waitFor();
  await scene.restart();
  await page.getByText("已连接", { exact: true }).waitFor();
  await item.getByRole("button", { name: "立即运行" }).click();
  await item.getByText("完成", { exact: true }).waitFor();
  await item.getByRole("link").click();
  await runs(page).filter({ hasText: "晴天 in Zürich." }).waitFor();
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
  await page.getByRole("button", { name: "修改" }).click();
  await page.getByRole("list", { name: "接下来的时间" }).waitFor();
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
});

test("the heartbeat is switched on, run and switched off, in the configuration file", async () => {
  const page = await open({ width: 360 }, "automations?tab=heartbeat");
  await button(page, "Switch on…").press("Enter");
  await page.getByLabel("Interval").fill("2h");
  await page.getByLabel("From").fill("00:00");
  await page.getByLabel("Until").fill("23:00");
  await page.getByLabel("Reports to").fill("none");
  await page.getByLabel("What it is asked").fill("Is it late?");
  await button(page, "Switch on").press("Enter");
  await page.getByText("Every 2h, from 00:00 to 23:00").waitFor();
  const file = () => readFile(join(scene.product.home, "factotum.json5"), "utf8");
  expect(await file()).toMatch(/Is it late\?/);
  // At any time of the day that the test runs.
  await button(page, "Change").press("Enter");
  await page.getByLabel("From").fill("");
  await button(page, "Save").press("Enter");
  await page.getByText("Every 2h", { exact: true }).waitFor();
  await button(page, "Run now").press("Enter");
  await runs(page).filter({ hasText: "Done" }).waitFor();
  expect([await findViolations(page), await fits(page)]).toEqual([[], true]);
  await button(page, "Change").press("Enter");
  await button(page, "Switch off").press("Enter");
  await page.getByText("It is off. Nothing runs, and nothing is charged.").waitFor();
  expect(await file()).not.toContain("Is it late?");
});

test("a change of the file while a form is open is not overwritten unseen", async () => {
  const page = await open({ width: 1280 }, "automations?tab=heartbeat");
  await button(page, "Switch on…").click();
  await page.getByLabel("Interval").fill("2h");
  await say("config", "set", "agents.defaults.heartbeat.every", "3h");
  // The page has seen it.
  await page.getByText("On", { exact: true }).waitFor();
  await button(page, /^(?:Switch on|Save)$/).click();
  await page.getByText("has changed since it was read").waitFor();
  expect(await page.getByLabel("Interval").inputValue()).toBe("2h");
  await button(page, "Cancel").click();
  await page.getByText("Every 3h", { exact: true }).waitFor();
  await say("config", "unset", "agents.defaults.heartbeat");
});

test("webhooks are switched on without showing their token, and deliveries appear", async () => {
  const page = await open({ width: 1280, dark: true }, "automations?tab=webhooks");
  await page.getByText("They are off").waitFor();
  await button(page, "Switch on").press("Enter");
  await page.getByText(`${scene.product.url}/hooks/agent`).waitFor();
  expect(await page.content()).not.toContain(TOKEN);
  const response = await fetch(`${scene.product.url}/hooks/agent`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "The build has failed.", deliver: false }),
  });
  expect(response.status).toBe(202);
  const delivery = page.getByRole("list", { name: "Last deliveries" }).getByRole("listitem");
  await delivery.getByText("Answered").waitFor();
  expect(await delivery.innerText()).toMatch(/^agent\b[^]*The build has failed\.[^]*晴天 in Zürich/);
  expect(await say("webhooks", "deliveries")).toMatch(/agent +answered +hook:/);
  expect(await findViolations(page)).toEqual([]);
  await button(page, "Change").press("Enter");
  await page.getByRole("textbox", { name: "Path" }).fill("/in");
  await button(page, "Save").press("Enter");
  await page.getByText(`${scene.product.url}/in/agent`).waitFor();
  expect(await readFile(join(scene.product.home, "factotum.json5"), "utf8")).toContain(TOKEN);
  await delivery.getByRole("link", { name: "Open the conversation" }).click();
  await page.getByRole("article", { name: "Assistant" }).getByText("晴天 in Zürich.").waitFor();
});
