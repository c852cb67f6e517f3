import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { startListingServer, type ListingServer } from "@factotum/testing-providers";
import { startProduct, type Product } from "@factotum/testing-product";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage, type WatchedPage } from "./open-browser.ts";

const KEY = "gsk-right-0123456789abcdef";
const WRONG = "gsk-wrong-0123456789abcdef";

let browser: Browser;
let provider: ListingServer;
let product: Product;
let watched: WatchedPage;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  provider = await startListingServer({ key: KEY, models: ["openai/gpt-oss-120b", "llama-9"] });
  product = await startProduct({ config: { models: { providers: { groq: { baseUrl: provider.url } } } } });
});
afterEach(async () => {
  const { complaints } = watched;
  await watched.close();
  await product[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  expect(complaints).toEqual([]);
});

async function open(options: { readonly width: number; readonly dark?: boolean; readonly firstRun?: boolean }): Promise<Page> {
  watched = await openPage(browser, options);
  await watched.page.goto(`${product.url}/#token=${product.token}`);
  await watched.page.getByText("Connected").waitFor();
  return watched.page;
}

test.each([
  { width: 360, dark: false },
  { width: 1280, dark: true },
])("at $width px, dark: $dark, a first run leads from a wrong key to an answer of the model", async (look) => {
  const page = await open({ ...look, firstRun: true });
  const dialog = page.getByRole("dialog", { name: "Welcome to Factotum" });
  await dialog.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: /^Groq/ }).click();
  const field = dialog.getByLabel("Key of Groq");
  expect(await field.getAttribute("type")).toBe("password");
  await field.fill(WRONG);
  await field.press("Enter");
  await dialog.getByRole("alert").filter({ hasText: "refused this key" }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await field.fill(KEY);
  await field.press("Enter");
  const models = dialog.getByLabel("Model");
  await models.waitFor();
  expect(await models.inputValue()).toBe("openai/gpt-oss-120b");
  // A model that the key cannot use is reported, and changes nothing.
  await models.selectOption("");
  await dialog.getByLabel("Its name at Groq").fill("gpt-nine");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").filter({ hasText: 'no model "gpt-nine"' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await models.selectOption("openai/gpt-oss-120b");
  await dialog.getByRole("button", { name: "Use this model" }).click();
  await dialog.getByLabel("The assistant’s name").fill("Ada");
  await page.keyboard.press("Enter");
  await dialog.getByText("Where do you want to write to it").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Skip" }).press("Enter");
  await dialog.getByText("costs nothing while there is nothing to do").waitFor();
  expect(await findViolations(page)).toEqual([]);
  const heartbeat = dialog.getByLabel("Wakes itself up");
  expect(await heartbeat.inputValue()).toBe("off");
  await heartbeat.selectOption("day");
  await dialog.getByRole("button", { name: "Go on" }).click();
  await dialog.getByText("Ada is ready.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("What shall Ada do?").waitFor();
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill("hello");
  await input.press("Enter");
  await page.getByRole("article", { name: "Assistant" }).getByText("Good day.").waitFor();

  expect((await stat(join(product.home, "credentials/groq"))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(product.home, "factotum.json5"), "utf8")).toContain("credentials/groq");
  expect(await readFile(join(product.home, "factotum.json5"), "utf8")).toContain("30m");
  for (const key of [KEY, WRONG]) {
    expect(await page.content()).not.toContain(key);
    expect(
      await page.evaluate(() => [localStorage, sessionStorage].map((kept) => JSON.stringify(Object.entries(kept))).join()),
    ).not.toContain(key);
    expect(product.output()).not.toContain(key);
  }
});

test("a person who stays with the demo is not asked again, can open the settings later, and is notified of an unreachable provider", async () => {
  const page = await open({ width: 1280, firstRun: true });
  const welcome = page.getByRole("dialog", { name: "Welcome to Factotum" });
  const stay = welcome.getByRole("button", { name: "Stay with the demo" });
  await page.setViewportSize({ width: 360, height: 600 });
  const seen = await stay.evaluate((element) => element.getBoundingClientRect().bottom);
  expect(seen).toBeLessThan(600);
  await page.setViewportSize({ width: 1280, height: 780 });
  await stay.click();
  await welcome.getByRole("button", { name: "Skip" }).click();
  await welcome.getByText("Where do you want to write to it").waitFor();
  await welcome.getByRole("button", { name: "Skip" }).click();
  await welcome.getByRole("button", { name: "Go on" }).click();
  await welcome.getByText("The model is demo/demo.").waitFor();
  await welcome.getByRole("button", { name: "Start talking" }).click();
  await page.reload();
  await page.getByText("Connected").waitFor();
  await page.getByRole("button", { name: "Setup" }).click();
  await welcome.waitFor();
  await welcome.getByRole("button", { name: /^Ollama/ }).click();
  await welcome.getByRole("button", { name: "Test and go on" }).click();
  await welcome.getByRole("alert").filter({ hasText: "Start Ollama" }).waitFor();
  await provider[Symbol.asyncDispose]();
  await welcome.getByRole("button", { name: "Back" }).click();
  await welcome.getByRole("button", { name: /^Groq/ }).click();
  await welcome.getByLabel("Key of Groq").fill(KEY);
  await page.keyboard.press("Enter");
  await welcome.getByRole("alert").filter({ hasText: "cannot be reached (ECONNREFUSED)" }).waitFor();
  await welcome.getByRole("button", { name: "Save it all the same" }).click();
  await welcome.getByText("Groq is set up.").waitFor();
  await welcome.getByRole("button", { name: "Back" }).click();
  await welcome.getByRole("button", { name: /^Groq\s*key in / }).waitFor();
  await page.keyboard.press("Escape");
  await welcome.waitFor({ state: "detached" });
});
