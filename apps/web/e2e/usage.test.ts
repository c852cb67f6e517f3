import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { region } from "./named.ts";
import { openPage } from "./open-browser.ts";
import { useProductPage } from "./product-page.ts";
import type { Look } from "./scripted-page.ts";

/** Maximum JavaScript that draws plots, in bytes as sent. */
const MAX_PLOT_BYTES = 25_000;

let hasUsage = false;

const scene = useProductPage(({ server }) => {
  server.respond(() => sayText("Done."));
  const model = { contextWindow: 100_000, maxOutput: 1000 };
  const local = {
    api: "openai-chat",
    baseUrl: `${server.baseUrl}/v1`,
    models: [
      { id: "m", ...model, cost: { input: 3, output: 15 } },
      { id: "cheap", ...model, cost: { input: 1, output: 5 } },
    ],
  };
  const config = {
    agents: {
      defaults: { model: "local/m" },
      list: [
        { id: "main", default: true },
        { id: "clerk", model: "local/cheap" },
      ],
    },
    models: { providers: { local } },
    spend: { perCause: { user: { tokensPerDay: 1_000_000, usdPerDay: 0.000_001 } } },
  };
  return { config };
});

const openPageOf = (look: Look, search: string) => scene.open(look, `usage${search}`);

/** Each agent has answered a message. */
async function haveUsage(): Promise<void> {
  if (!hasUsage) for (const agent of ["clerk", "main"]) await say(agent);
}

async function openUsage(look: Look, search = ""): Promise<Page> {
  await haveUsage();
  return openPageOf(look, search);
}

async function say(agent: string): Promise<void> {
  const command = ["agent", "--session", `agent:${agent}:main`, "--message", "Hello"];
  expect(await runCommand(command, scene.product)).toMatchObject({ code: 0 });
  hasUsage = true;
}

const rowNames = (page: Page) => page.locator("tbody td:first-child").allInnerTexts();
/** The colours of the drawn pixels of the first plot. */
const coloursOf = (page: Page): Promise<readonly string[]> =>
  page
    .locator("canvas")
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      // Of a copy: a canvas that draws complains of being read often.
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
      copy?.drawImage(canvas, 0, 0);
      const { data } = copy?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      const found = new Set<string>();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) found.add([data[at], data[at + 1], data[at + 2]].join(" "));
      return [...found];
    });

test("without usage it says how it comes to be, and an event shows the first", async () => {
  const page = await openPageOf({ width: 360 }, "");
  await page.getByText("No model was asked in this period.").waitFor();
  expect(await page.locator("canvas").count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().endsWith(".js")) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await say("clerk");
  await page.locator("canvas").nth(1).waitFor();
  await say("main");
  const requests = region(page, "In this period").getByText(/^2$/);
  await requests.waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(MAX_PLOT_BYTES);
});

const ENGLISH = ["en-GB", "Usage", "By Model"] as const;
const CHINESE = ["zh-CN", "用量", "按模型"] as const;
test.each([
  [360, true, ...CHINESE],
  [768, false, ...ENGLISH],
  [1280, false, ...CHINESE],
  [1920, true, ...ENGLISH],
])("at %i px, dark: %s, in %s it is readable, without faults of access", async (width, dark, locale, title, name) => {
  const page = await openUsage({ width, dark, locale }, "?by=model");
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  await region(page, name).locator("canvas").nth(1).waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await fits(page)).toBe(true);
  // Numbers and short names have one line.
  for (const height of await page.locator("tbody tr").evaluateAll((rows: HTMLElement[]) => rows.map(({ offsetHeight }) => offsetHeight)))
    expect(height).toBeLessThan(48);
});

test("the address holds the period and the groups, and each group has its rows", async () => {
  const page = await openUsage({ width: 1280 }, "?by=model");
  await expect.poll(() => rowNames(page)).toEqual(["local/m", "local/cheap"]);
  await page.getByRole("radio", { name: "Agent" }).press("Space");
  await expect.poll(() => rowNames(page)).toEqual(["main", "clerk"]);
  expect(page.url()).toContain("by=agent");
  await page.reload();
  await expect.poll(() => rowNames(page)).toEqual(["main", "clerk"]);
  await page.getByRole("radio", { name: "Cause" }).press("Space");
  await expect.poll(() => rowNames(page)).toEqual(["Messages of people"]);
  await page.getByRole("radio", { name: "Conversation" }).press("Space");
  await expect.poll(() => page.locator("tbody a").count()).toBe(2);
  await page.getByRole("radio", { name: "Day", exact: true }).press("Space");
  await page.locator("tbody time").first().waitFor();
  await expect.poll(async () => (await rowNames(page)).length).toBeGreaterThan(0);
  await page.getByLabel("From").fill("2026-01-01");
  await page.getByLabel("Until").fill("2026-01-31");
  await page.getByText("No model was asked in this period.").waitFor();
  expect(page.url()).toMatch(/from=2026-01-01&to=2026-01-31/);
  await page.getByLabel("Until").fill("2025-01-31");
  await page.getByText("The period ends before it begins.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("radio", { name: "7 days" }).press("Space");
  await expect.poll(async () => (await rowNames(page)).length).toBeGreaterThan(0);
});

test("a day is typed with the keyboard, digit by digit", async () => {
  const page = await openUsage({ width: 360 }, "?from=2026-11-01&to=2026-11-29");
  const from = page.getByLabel("From");
  await from.focus();
  // The order of day and month is the browser's.
  await page.keyboard.type("05052025");
  await expect.poll(() => page.url()).toContain("from=2025-05-05&to=2026-11-29");
  expect(await from.inputValue()).toBe("2025-05-05");
  await page.keyboard.press("Backspace");
  await page.getByRole("radio", { name: "7 days" }).press("Space");
  await expect.poll(() => from.inputValue()).not.toBe("2025-05-05");
});

test("each limit says what is left, and which is used up", async () => {
  const page = await openUsage({ width: 1280 });
  const limits = region(page, "Limits of today");
  const user = limits.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "main: Messages of people" }) });
  expect(await user.innerText()).toMatch(/Used up[^]*\$0\.00 of \$0\.000001 left[^]*9\d\d,\d\d\d of 1,000,000 tokens left/);
  await limits.getByText("$2.00 of $2.00 left").first().waitFor();
});

test("plots have the colours of the theme, and change with it", async () => {
  const page = await openUsage({ width: 1280 }, "?by=model");
  await page.locator("canvas").first().waitFor();
  await expect.poll(() => coloursOf(page)).toContain("43 95 80");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => coloursOf(page)).toContain("127 199 177");
  await page.evaluate(() => (document.documentElement.dataset["theme"] = "light"));
  await expect.poll(() => coloursOf(page)).toContain("43 95 80");
});

test("without the program that draws, the table stays, and it can be loaded later", async () => {
  await haveUsage();
  const { page, close } = await openPage(scene.browser, { width: 360 });
  let isBroken = true;
  await page.route("**/draw-bars*.js", (route) => (isBroken ? route.abort() : route.continue()));
  await page.goto(`${scene.product.url}/#token=${scene.product.token}`);
  await page.waitForURL(/#\/chat\/agent/);
  await page.goto(`${scene.product.url}/#/usage?by=model`);
  await page.getByText("The plot could not be loaded.").first().waitFor();
  expect(await rowNames(page)).toEqual(["local/m", "local/cheap"]);
  expect(await findViolations(page)).toEqual([]);
  isBroken = false;
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.locator("canvas").waitFor();
  await close();
});

test("a killed gateway leaves what was shown, and answers again when it is back", async () => {
  const page = await openUsage({ width: 1280 }, "?by=model");
  await page.locator("canvas").nth(1).waitFor();
  await scene.product.end("SIGKILL");
  await page.getByText("Connected", { exact: true }).waitFor({ state: "detached" });
  expect(await rowNames(page)).toEqual(["local/m", "local/cheap"]);
  await scene.restart();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("radio", { name: "Agent" }).press("Space");
  await expect.poll(() => rowNames(page)).toEqual(["main", "clerk"]);
});
