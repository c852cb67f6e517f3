import { startListingServer } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";

const KEY = "gsk-right-0123456789abcdef";
const WRONG = "gsk-wrong-0123456789abcdef";
const MODELS = ["openai/gpt-oss-120b", "llama-9"];
const DRAFT = "What I have not sent yet";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const input = (page: Page): Locator => page.getByRole("textbox", { name: "Message" });
const dialog = (page: Page): Locator => page.locator("dialog.setup");
const answers = (page: Page): Locator => page.locator(".answer", { hasText: "Good day." });
const errors = (page: Page): Locator => page.locator(".notice.error");
const retry = (page: Page): Locator => page.getByRole("button", { name: "Try again", exact: true });

async function say(page: Page, text: string): Promise<void> {
  await input(page).fill(text);
  await input(page).press("Enter");
}

/** The conversation's rows; expects none to be pending. */
async function rows(page: Page): Promise<readonly string[]> {
  await page.locator(".outgoing, .working").first().waitFor({ state: "detached" });
  return page.locator(".rows > .said, .rows > .answer, .rows > .notice").allInnerTexts();
}

/** Reloads with an unsent text in the message field; expects the same conversation and the same text. */
async function reload(page: Page): Promise<void> {
  // The time and the buttons of an answer come with its end.
  await expect.poll(() => page.locator(".answer:not(:has(.time))").count()).toBe(0);
  await input(page).fill(DRAFT);
  const before = await rows(page);
  await page.reload();
  await page.getByText("Connected").waitFor();
  await expect.poll(() => rows(page)).toEqual(before);
  expect(await input(page).inputValue()).toBe(DRAFT);
}

async function openKeyStep(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Setup" }).click();
  await dialog(page).getByRole("button", { name: /^Groq/ }).click();
}

async function chooseModel(page: Page, model: string): Promise<void> {
  await dialog(page).getByLabel("Model").selectOption(model);
  await dialog(page).getByRole("button", { name: "Use this model" }).click();
  await dialog(page).getByRole("button", { name: "Skip" }).click();
  await dialog(page).getByText("Where do you want to write to it").waitFor();
  await dialog(page).getByRole("button", { name: "Skip" }).click();
  await dialog(page).getByRole("button", { name: "Go on" }).click();
  await dialog(page).getByText(`The model is groq/${model}.`).waitFor();
  await page.keyboard.press("Escape");
}

test("a new user sees the reason at every step from the demo to an unreachable provider, and loses no text", async () => {
  let provider = await startListingServer({ key: KEY, models: MODELS, retired: ["llama-9"] });
  const port = Number(new URL(provider.url).port);
  await using product = await startProduct({ config: { models: { providers: { groq: { baseUrl: provider.url } } } } });
  const { page, complaints, close } = await openPage(browser, { width: 1280, firstRun: true });
  await page.goto(`${product.url}/#token=${product.token}`);
  await dialog(page).getByRole("button", { name: "Stay with the demo" }).click();
  await page.keyboard.press("Escape");
  await say(page, "Who are you?");
  await page.locator(".answer .time").waitFor();
  expect(await page.locator(".answer").innerText()).toMatch(/demo model: .*Settings.*factotum setup/);

  await openKeyStep(page);
  await dialog(page).getByLabel("Key of Groq").fill(WRONG);
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("alert").filter({ hasText: "refused this key" }).waitFor();
  await page.keyboard.press("Escape");
  await reload(page);

  await openKeyStep(page);
  await dialog(page).getByLabel("Key of Groq").fill(KEY);
  await page.keyboard.press("Enter");
  await chooseModel(page, "llama-9");
  await say(page, "A question for a retired model");
  await errors(page).getByText('groq has no model "llama-9"').waitFor();
  await reload(page);
  // The reason is shown once: in the conversation, and above it in all others.
  expect(await page.getByText('groq has no model "llama-9"').count()).toBe(1);
  await page.getByRole("button", { name: "New chat" }).click();
  await page.locator(".banner", { hasText: 'groq has no model "llama-9"' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.locator(".session-open", { hasText: "Main" }).click();

  await openKeyStep(page);
  await dialog(page).getByRole("button", { name: "Use this key" }).click();
  await chooseModel(page, "openai/gpt-oss-120b");
  await retry(page).click();
  await answers(page).waitFor();
  await reload(page);

  await provider[Symbol.asyncDispose]();
  await say(page, "A question to nobody");
  await errors(page).getByText("cannot be reached: ECONNREFUSED").waitFor();
  await reload(page);
  provider = await startListingServer({ key: KEY, models: MODELS, port });
  await retry(page).click();
  await answers(page).nth(1).waitFor();
  await reload(page);
  expect((await rows(page)).filter((row) => row.startsWith("A question"))).toHaveLength(2);
  expect(complaints).toEqual([]);
  await close();
  await provider[Symbol.asyncDispose]();
});
