import { fileURLToPath } from "node:url";
import { FakeTelegram, telegramMessageUpdate } from "@factotum/testing-channels";
import { FakeRegistry, startProduct } from "@factotum/testing-product";
import { startListingServer } from "@factotum/testing-providers";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { openBrowser, openPage } from "./open-browser.ts";

const EXTENSION = fileURLToPath(new URL("../../../extensions/telegram", import.meta.url));
const KEY = "gsk-right-0123456789abcdef";
const OWNER = 1001;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

test("in Chinese, on a phone and with the keys alone, a first run leads from a wrong key to a message on the phone", async () => {
  await using provider = await startListingServer({ key: KEY, models: ["openai/gpt-oss-120b", "llama-9"] });
  await using telegram = await FakeTelegram.start();
  await using registry = await FakeRegistry.start();
  await registry.publishDependencies(EXTENSION);
  await using product = await startProduct({
    config: { models: { providers: { groq: { baseUrl: provider.url } } } },
    env: { npm_config_registry: registry.url },
  });
  const { page, complaints, close } = await openPage(browser, { width: 360, locale: "zh-CN", firstRun: true });
  await page.goto(`${product.url}/#token=${product.token}`);
  const dialog = page.locator("dialog.setup");
  const press = async (name: string | RegExp): Promise<void> => dialog.getByRole("button", { name }).press("Enter");
  await press(/^Groq/);
  // Each step takes the focus.
  await page.keyboard.type("gsk-wrong-0123456789abcdef");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByRole("textbox").fill(KEY);
  await page.keyboard.press("Enter");
  await press("使用此模型");
  await dialog.getByLabel("助手的名称").waitFor();
  await page.keyboard.type("Ada");
  await page.keyboard.press("Enter");

  // The easiest is the first, and the way past all of them is in view.
  expect(await dialog.getByRole("listitem").first().innerText()).toMatch(/^Telegram/);
  const skip = await dialog.getByRole("button", { name: "跳过" }).boundingBox();
  expect((skip?.y ?? 0) + (skip?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
  expect(await findViolations(page)).toEqual([]);
  await press(/^Telegram/);
  await dialog.getByText("访问网络上的 api.telegram.org").waitFor();
  await press("安装 Telegram");
  await dialog.getByRole("heading", { name: "Telegram 的设置" }).waitFor();
  // What the channel cannot begin without has the focus.
  const token = dialog.getByLabel("令牌", { exact: true });
  await expect.poll(() => token.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type(telegram.app.token);
  await dialog.getByLabel("基础地址").fill(telegram.baseUrl);
  expect(await findViolations(page)).toEqual([]);
  await press("保存并连接");
  await dialog.getByText("已连接", { exact: true }).waitFor();
  const message = telegram.addMessage({ chatId: OWNER, fromId: OWNER, text: "你好" });
  await telegram.updates.deliver(telegramMessageUpdate(telegram, message));
  await press("批准");
  await dialog.getByText("现在可以发消息了").waitFor();
  await press("发送测试消息");
  await dialog.getByText("平台已接收").waitFor();
  expect(telegram.sent.at(-1)).toMatchObject({ chatId: OWNER, text: expect.stringContaining("测试消息") as string });
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  await press("完成");

  await press("继续");
  await dialog.getByText("Ada 已就绪").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });

  // What is left of it is on the overview, until the person needs no more.
  await page.goto(`${product.url}/#/overview`);
  await page.getByText("你可以用手机给它发消息。").waitFor();
  await page.getByRole("button", { name: "让它自动醒来" }).press("Enter");
  await dialog.getByLabel("自动唤醒").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "不再提醒" }).press("Enter");
  await page.getByText("你可以用手机给它发消息。").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await close();
}, 120_000);
