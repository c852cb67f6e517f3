import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "@factotum/testing-product";
import { type ListingServer, startListingServer } from "@factotum/testing-providers";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SchemaForm } from "../src/ui/schema-form/schema-form.tsx";
import type { SchemaNode } from "../src/ui/schema-form/schema-node.ts";
import { drawnKeys, fullValues, keysOf } from "../test/full-values.ts";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { region } from "./named.ts";
import { useProductPage } from "./product-page.ts";
import type { Look } from "./scripted-page.ts";

let provider: ListingServer;
const scene = useProductPage(() => ({ config: {} }));
const file = (): string => join(scene.product.home, "factotum.json5");
const written = (): Promise<string> => readFile(file(), "utf8");

beforeAll(async () => {
  provider = await startListingServer({ key: "canary-local-key", models: ["m", "n"] });
  const text = `{
  // mine
  agents: { defaults: { model: "local/m" } },
  models: {
    providers: {
      local: {
        api: "openai-chat", baseUrl: "${provider.url}/v1", apiKey: "canary-local-key",
        models: [{ id: "m", contextWindow: 100000, maxOutput: 1000, cost: { input: 3, output: 15 } }, { id: "n" }],
      },
      other: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: "canary-other-key" },
    },
  },
}
`;
  await writeFile(file(), text);
});
afterAll(() => provider[Symbol.asyncDispose]());

const openSettings = (look: Look, path: string) => scene.open(look, `settings/${path}`);

test("every key of the configuration of this build has a control", async () => {
  const { stdout } = await runCommand(["config", "schema", "--forms"], scene.product);
  const schema = JSON.parse(stdout) as SchemaNode;
  const draw = (value: unknown): string =>
    renderToStaticMarkup(
      createElement(SchemaForm, { schema, path: [], value, onChange: () => undefined, problems: [], mark: "-", opensEverything: true }),
    );
  const drawn = new Set(fullValues(schema).flatMap((value) => [...drawnKeys(draw(value))]));
  const keys = keysOf(schema);
  expect(keys.length).toBeGreaterThan(500);
  expect(keys.filter((key) => !drawn.has(key))).toEqual([]);
});

test("a setting is found, changed and saved with the keyboard, after its differences were shown; comments and secrets stay", async () => {
  const page = await openSettings({ width: 1280 }, "configuration");
  await page.getByLabel("Search all settings").fill("timezone user");
  await page.getByRole("link", { name: "User timezone" }).first().press("Enter");
  const field = page.locator('[data-key="agents.defaults.userTimezone"] input');
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type("Europe/Nowhere");
  await page.getByRole("button", { name: "Review changes" }).press("Enter");
  await page.getByText("Nothing was saved:").waitFor();
  // It is below the form: without the focus it would be out of sight.
  expect(await page.evaluate(() => document.activeElement?.getAttribute("role"))).toBe("alert");
  expect(await page.locator('[data-key="agents.defaults.userTimezone"]').innerText()).toMatch(/zone/);
  await field.fill("Europe/Berlin");
  await page.getByRole("button", { name: "Review changes" }).press("Enter");
  const review = region(page, "Before it is saved");
  expect(await review.innerText()).toContain("agents.defaults.userTimezone");
  // What holds for commands has nothing to do with it.
  expect(await review.getByRole("list", { name: "What it means" }).count()).toBe(0);
  await expect.poll(() => review.locator("ins").allInnerTexts()).toEqual([expect.stringContaining("Europe/Berlin")]);
  expect(await findViolations(page)).toEqual([]);
  expect(await written()).not.toContain("Berlin");
  await review.getByRole("button", { name: "Back to editing" }).press("Enter");
  expect(await field.inputValue()).toBe("Europe/Berlin");
  await page.getByRole("button", { name: "Review changes" }).press("Enter");
  const save = review.getByRole("button", { name: "Save" });
  await expect.poll(() => save.evaluate((element) => element === document.activeElement)).toBe(true);
  await review.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByText("The configuration is saved and in use.").waitFor();
  for (const kept of ["// mine", "canary-local-key", "Europe/Berlin"]) expect(await written()).toContain(kept);
  await review.waitFor({ state: "detached" });
});

test("a secret is shown as stored alone, and another one takes its place", async () => {
  const page = await openSettings({ width: 360, dark: true }, "configuration?group=models&key=models.providers.other.apiKey");
  const secret = page.locator('[data-key="models.providers.other.apiKey"]');
  await secret.getByText("Stored", { exact: true }).waitFor();
  expect(await page.content()).not.toContain("canary");
  expect(await findViolations(page)).toEqual([]);
  await secret.locator("input").fill("canary-another-key");
  await page.getByRole("button", { name: "Review changes" }).click();
  const review = region(page, "Before it is saved");
  await review.getByText("another secret").waitFor();
  await review.getByRole("button", { name: "Save" }).click();
  await page.getByText("The configuration is saved and in use.").waitFor();
  expect(await written()).toContain('apiKey: "canary-another-key"');
});

test("what was changed elsewhere meanwhile is shown with the person's own changes, and both are kept", async () => {
  const page = await openSettings({ width: 1280, dark: true }, "configuration?as=text");
  const editor = page.getByRole("textbox", { name: "Text of the configuration file" });
  await editor.getByText("// mine").waitFor();
  await editor.press("Control+Home");
  await page.keyboard.type("// above all\n");
  await page.getByRole("button", { name: "Review changes" }).waitFor();
  expect(await runCommand(["config", "set", "spend.unattended.usdPerDay", "3"], scene.product)).toMatchObject({ code: 0 });
  const conflict = region(page, "The file has changed meanwhile");
  await conflict.getByText("usdPerDay").first().waitFor();
  expect(await conflict.innerText()).toContain("// above all");
  expect(await findViolations(page)).toEqual([]);
  await conflict.getByRole("button", { name: "Keep both" }).click();
  await page.getByRole("button", { name: "Review changes" }).click();
  await region(page, "Before it is saved").getByRole("button", { name: "Save" }).click();
  await page.getByText("The configuration is saved and in use.").waitFor();
  expect(await written()).toMatch(/^\/\/ above all\n[^]*usdPerDay: 3/);
});

test("a model is tested and chosen, and a key is removed after a question", async () => {
  const page = await openSettings({ width: 360 }, "models");
  const card = region(page, "local");
  await card.getByRole("button", { name: "Test local/m" }).click();
  await expect.poll(() => card.getByRole("status").first().innerText(), { timeout: 20_000 }).toMatch(/^Works: first word after/);
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  const asks = provider.paths.length;
  await card.getByRole("button", { name: "Ask local for its list" }).click();
  await expect.poll(() => provider.paths.slice(asks)).toEqual(["/v1/models"]);
  await card.getByRole("button", { name: "Use local/n" }).click();
  await page.getByText("local/n answers from now on.").waitFor();
  expect(await written()).toContain('model: "local/n"');
  await card.getByRole("button", { name: "Remove the key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove the key" }).click();
  await page.getByText("The key of local is removed.").waitFor();
  expect(await written()).not.toContain("canary-local-key");
});

test("in Chinese every part is readable, the address names it, and logging out forgets the token and drafts, in every tab", async () => {
  const page = await openSettings({ width: 1280, locale: "zh-CN" }, "models");
  for (const [name, heading] of [
    ["外观", "此浏览器"],
    ["通知", "此浏览器"],
    ["配置", "文件"],
    ["访问", "使用其他设备"],
  ] as const) {
    await page.getByRole("tab", { name }).click();
    await page.getByRole("heading", { name: heading, level: 2 }).first().waitFor();
    if (name === "配置") await page.getByText("网关的 TCP 端口").waitFor();
    expect(await findViolations(page)).toEqual([]);
  }
  expect(page.url()).toContain("#/settings/access");
  await page.getByRole("button", { name: "显示链接及其二维码" }).click();
  await page.getByText(`#token=${scene.product.token}`).waitFor();
  await runCommand(["config", "set", "gateway.publicUrl", "https://assistant.example/home"], scene.product);
  await page.getByText(`https://assistant.example/home/#token=${scene.product.token}`).waitFor();
  const other = await page.context().newPage();
  await other.goto(scene.product.url);
  await other.getByRole("textbox", { name: "消息" }).fill("未发送");
  await page.getByRole("button", { name: "退出登录" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "退出登录" }).click();
  for (const tab of [page, other]) {
    await tab.getByLabel("令牌").waitFor();
    expect(await tab.evaluate(() => [localStorage.getItem("factotum.token"), JSON.stringify(Object.entries(sessionStorage))])).toEqual([
      null,
      expect.not.stringContaining("未发送"),
    ]);
  }
});

test("a killed gateway and other pages leave what was typed, and the browser asks about it, until it is discarded", async () => {
  const page = await openSettings({ width: 1280 }, "configuration?group=memory");
  const field = page.locator('[data-key="memory.provider"] input');
  await field.fill("notes");
  await scene.product.end("SIGKILL");
  await page.getByText("Connected", { exact: true }).waitFor({ state: "detached" });
  await scene.restart();
  await page.getByText("Connected", { exact: true }).waitFor();
  const asks = () => page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByRole("heading", { name: "Logs", level: 1 }).waitFor();
  expect(await asks()).toBe(true);
  await page.goBack();
  expect(await field.inputValue()).toBe("notes");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("Changes are not saved.").waitFor({ state: "detached" });
  expect([await field.inputValue(), await asks()]).toEqual(["", false]);
});
