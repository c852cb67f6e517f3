import { fileURLToPath } from "node:url";
import { FakeTelegram, telegramMessageUpdate } from "@factotum/testing-channels";
import { FakeRegistry, startProduct, type Product } from "@factotum/testing-product";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage, type WatchedPage } from "./open-browser.ts";

const EXTENSION = fileURLToPath(new URL("../../../extensions/telegram", import.meta.url));
const OWNER = 1001;

let browser: Browser;
let registry: FakeRegistry;
let telegram: FakeTelegram;
let product: Product;
const opened: WatchedPage[] = [];
beforeAll(async () => {
  [browser, registry, telegram] = await Promise.all([openBrowser(), FakeRegistry.start(), FakeTelegram.start()]);
  await registry.publishDependencies(EXTENSION);
  product = await startProduct({ config: {}, env: { npm_config_registry: registry.url } });
}, 120_000);
afterAll(async () => {
  for (const { close } of opened) await close();
  await browser.close();
  await product[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
  expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
});

async function open(hash: string, look: Parameters<typeof openPage>[1]): Promise<Page> {
  const watched = await openPage(browser, look);
  opened.push(watched);
  const { page } = watched;
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.waitForURL(/#\/chat\//);
  await page.goto(`${product.url}/${hash}`);
  return page;
}

const card = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).press("Enter");

async function writeToBot(): Promise<void> {
  const message = telegram.addMessage({ chatId: OWNER, fromId: OWNER, text: "Hi" });
  await telegram.updates.deliver(telegramMessageUpdate(telegram, message));
}

test("a channel is installed, set up, and its first message arrives, by the keyboard on a phone", async () => {
  const page = await open("#/channels", { width: 360 });
  await page.getByText("With a channel you talk to the assistant").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("link", { name: /^Telegram/ }).press("Enter");
  await page.getByText("reach api.telegram.org on the network").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await press(page, "Install Telegram");
  await page.getByRole("heading", { name: "Settings of Telegram" }).waitFor();
  await page.getByLabel("Token", { exact: true }).fill("wrong");
  await press(page, "Save and connect");
  await page.getByText("the token as @BotFather gives it is expected").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel("Token", { exact: true }).fill(telegram.app.token);
  await page.getByLabel("Base URL").fill(telegram.baseUrl);
  await press(page, "Save and connect");
  await page.getByRole("heading", { name: /^Say hello/ }).waitFor();
  await page.getByText("Connected", { exact: true }).last().waitFor();
  await press(page, "Send a test message");
  await page.getByText("No owner is known there yet").waitFor();
  await writeToBot();
  await press(page, "Approve");
  await page.getByText("Any words will do").waitFor();
  await press(page, "Send a test message");
  await page.getByText("The platform took it").waitFor();
  expect(telegram.sent.at(-1)).toMatchObject({ chatId: OWNER, text: expect.stringContaining("test message") as string });
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  await press(page, "Done");
  await page.waitForURL(/#\/channels\/telegram$/);
}, 120_000);

test("in Chinese an account is looked at, checked, and who may write is changed, through a killed gateway", async () => {
  const page = await open("#/channels/telegram", { width: 1280, dark: true, locale: "zh-CN" });
  await card(page, "状态").getByText("最近的消息").waitFor();
  await card(page, "谁可以发消息").getByText("所有者").first().waitFor();
  await page.getByPlaceholder("已存储").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await press(page, "检查访问");
  await card(page, "状态").getByText("平台上的名称：").waitFor();
  await page.getByLabel("平台上的 ID").fill("@ann");
  await press(page, "准入");
  await page.getByText("has not the form of the id of a person").waitFor();
  await page.getByLabel("平台上的 ID").fill("2002");
  await press(page, "准入");
  await page.getByRole("button", { name: "删除 2002" }).waitFor();
  await press(page, "保存设置");
  await page.getByText("已保存并生效。").waitFor();
  expect(await findViolations(page)).toEqual([]);

  const { home, url } = product;
  await product.end("SIGKILL");
  await page.locator(".connection.connected").waitFor({ state: "detached" });
  product = await startProduct({ home, port: Number(new URL(url).port), env: { npm_config_registry: registry.url } });
  await page.locator(".connection.connected").waitFor();
  await press(page, "删除 2002");
  await page.getByRole("button", { name: "删除 2002" }).waitFor({ state: "detached" });
  await press(page, "删除…");
  await page.getByRole("dialog").getByRole("button", { name: "删除", exact: true }).press("Enter");
  await page.waitForURL(/#\/channels$/);
  await page.getByText("有了渠道").waitFor();
  expect(await fits(page)).toBe(true);
}, 90_000);
