import { fileURLToPath } from "node:url";
import { FakeTelegram, telegramMessageUpdate } from "@factotum/testing-channels";
import { FakeRegistry, runCommand } from "@factotum/testing-product";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { region } from "./named.ts";
import { useProductPage } from "./product-page.ts";

const EXTENSION = fileURLToPath(new URL("../../../extensions/telegram", import.meta.url));
const OWNER = 1001;

let registry: FakeRegistry;
let telegram: FakeTelegram;
const scene = useProductPage(async () => {
  [registry, telegram] = await Promise.all([FakeRegistry.start(), FakeTelegram.start()]);
  await registry.publishDependencies(EXTENSION);
  return { config: {}, env: { npm_config_registry: registry.url } };
});
afterAll(async () => {
  await telegram[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).press("Enter");

async function writeToBot(): Promise<void> {
  const message = telegram.addMessage({ chatId: OWNER, fromId: OWNER, text: "Hi" });
  await telegram.updates.deliver(telegramMessageUpdate(telegram, message));
}

test("a channel is installed, set up, and its first message arrives, by the keyboard on a phone", async () => {
  const page = await scene.open({ width: 360 }, "channels");
  await page.getByText("With a channel you talk to the assistant").waitFor();
  await page.getByText("the token that @BotFather gives you").waitFor();
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
  await page.getByLabel("Token", { exact: true }).fill(`123456:${"x".repeat(35)}`);
  await page.getByLabel("Base URL").fill(telegram.baseUrl);
  await press(page, "Save and connect");
  await page.getByText("Check its settings. It is tried again with each change").waitFor();
  // An account that failed is mended where it was left, and where it would be added.
  await press(page, "Change the settings");
  await page.getByPlaceholder("Stored").waitFor();
  const warning = page.getByRole("status", { name: "Gateway" }).getByRole("link", { name: "settings" });
  expect(await warning.getAttribute("href")).toMatch(/#\/channels\/telegram$/);
  await page.getByRole("link", { name: "All channels" }).press("Enter");
  await page.getByRole("link", { name: /^Telegram.*1 account/ }).press("Enter");
  await page.getByText("Telegram is set up, and does not work yet.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel("Token", { exact: true }).fill(telegram.app.token);
  await press(page, "Save and connect");
  await page.getByRole("heading", { name: /^Say hello/ }).waitFor();
  await page.getByText("Connected", { exact: true }).last().waitFor();
  await press(page, "Send a test message");
  await page.getByText("No owner is known there yet").waitFor();
  await writeToBot();
  await press(page, "Approve");
  await page.getByText("may write now.").waitFor();
  await page.getByRole("status").getByText("is the owner now").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("2. Let it write to you");
  expect(await page.getByText("Any words will do").count()).toBe(0);
  await press(page, "Send a test message");
  await page.getByText("The platform took it").waitFor();
  expect(telegram.sent.at(-1)).toMatchObject({ chatId: OWNER, text: expect.stringContaining("test message") as string });
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  await press(page, "Done");
  await page.waitForURL(/#\/channels\/telegram$/);
}, 120_000);

test("in Chinese an account is looked at, checked, and who may write is changed, through a killed gateway", async () => {
  const page = await scene.open({ width: 1280, dark: true, locale: "zh-CN" }, "channels/telegram");
  await region(page, "状态").getByText("最近的消息").waitFor();
  await region(page, "谁可以发消息").getByText("所有者").first().waitFor();
  await page.getByPlaceholder("已存储").waitFor();
  await page.getByText("机器人的令牌，由 @BotFather 给出").waitFor();
  await press(page, "保存设置");
  await page.getByText("没有任何改动。").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await press(page, "检查访问");
  await region(page, "状态").getByText("平台上的名称：").waitFor();
  await page.getByLabel("平台上的 ID").fill("@ann");
  await press(page, "准入");
  await page.getByText("“@ann”不符合该平台用户 ID 的形式").waitFor();
  await page.getByLabel("平台上的 ID").fill("2002");
  await press(page, "准入");
  await page.getByRole("button", { name: "删除 2002" }).waitFor();
  // Settings that were changed elsewhere are not overwritten.
  const server = page.getByLabel("基础地址", { exact: true });
  await server.fill("http://127.0.0.1:9");
  const set = async (url: string): Promise<void> => {
    const change = ["config", "set", "channels.telegram.baseUrl", url];
    expect(await runCommand(change, { home: scene.product.home })).toMatchObject({ code: 0 });
  };
  await set(`${telegram.baseUrl}/`);
  await page.getByText("这些设置在此期间已在别处更改").waitFor();
  expect(await page.getByRole("button", { name: "保存设置" }).isDisabled()).toBe(true);
  expect(await findViolations(page)).toEqual([]);
  await press(page, "载入当前设置");
  expect(await server.inputValue()).toBe(`${telegram.baseUrl}/`);
  await set(telegram.baseUrl);
  await expect.poll(() => server.inputValue()).toBe(telegram.baseUrl);
  await page.getByLabel("令牌", { exact: true }).fill("wrong");
  await press(page, "保存设置");
  await page.getByText("应为 @BotFather 给出的令牌").waitFor();
  // What the channel says of a platform that refuses is Chinese, too.
  await page.getByLabel("令牌", { exact: true }).fill(`123456:${"x".repeat(35)}`);
  await press(page, "保存设置");
  // A secret that is saved is used at once.
  await region(page, "状态").getByText("令牌有误或已撤销：请从 @BotFather 获取当前令牌").first().waitFor();
  await page.getByText("已保存并生效。").waitFor();
  await press(page, "检查访问");
  await page.getByText("凭据被拒绝：Telegram 拒绝了 getMe").waitFor();
  await page.getByLabel("令牌", { exact: true }).fill(telegram.app.token);
  await press(page, "保存设置");
  await region(page, "状态").getByText("已连接").waitFor();
  expect(await findViolations(page)).toEqual([]);

  await scene.product.end("SIGKILL");
  await page.locator(".connection.connected").waitFor({ state: "detached" });
  await scene.restart();
  await page.locator(".connection.connected").waitFor();
  await press(page, "删除 2002");
  await page.getByRole("button", { name: "删除 2002" }).waitFor({ state: "detached" });
  await press(page, "删除…");
  await page.getByRole("dialog").getByRole("button", { name: "删除", exact: true }).press("Enter");
  await page.waitForURL(/#\/channels$/);
  await page.getByText("有了渠道").waitFor();
  await page.getByText("@BotFather 提供的令牌").waitFor();
  expect(await fits(page)).toBe(true);
}, 90_000);
