import { runCommand } from "@factotum/testing-product";
import { callTools, sayText } from "@factotum/testing-providers";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { useProductPage } from "./product-page.ts";

const scene = useProductPage(({ server, config }) => {
  let asked = 0;
  server.respond(() => {
    asked += 1;
    if (asked === 1) return callTools({ name: "read", arguments: { path: "missing.txt" } });
    return asked === 2 ? sayText("It is not there.") : { type: "error", errorType: "authentication", message: "no" };
  });
  return { config };
});
beforeAll(async () => {
  expect(await say("Read it \u{202e}now")).toBe(0);
  expect(await say("Fail")).not.toBe(0);
});

async function say(message: string): Promise<number | null> {
  return (await runCommand(["agent", "--session", "agent:main:main", "--message", message], scene.product)).code;
}

const linesOf = (page: Page) => page.getByRole("list", { name: "Lines of the log" }).getByRole("button");

test.each([
  [360, true, "zh-CN", "日志", "日志行", "没有轮次“none”。"],
  [1280, false, "en-GB", "Logs", "Lines of the log", 'There is no turn "none".'],
])(
  "at %i px, dark: %s, in %s an opened line and a refusal are readable, without faults of access",
  async (width, dark, locale, title, name, refusal) => {
    const page = await scene.open({ width, dark, locale }, "logs");
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
    const first = page.getByRole("list", { name }).getByRole("button").first();
    await first.waitFor();
    await first.click();
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    await page.goto(`${scene.product.url}/#/trace/none`);
    await page.getByText(refusal).waitFor();
  },
);

test("the address holds the filter, and a line leads by keyboard to the trace of its message and back to the log", async () => {
  const page = await scene.open({ width: 1280 }, "logs");
  await linesOf(page).nth(1).waitFor();
  await page.getByRole("radio", { name: "Warnings" }).press("Space");
  await page.getByLabel("With the words").fill("a RUN failed");
  await expect.poll(() => page.url()).toMatch(/level=warn&text=a\+RUN\+failed|text=.*level=warn/);
  await page.reload();
  const line = linesOf(page).filter({ hasText: "A run failed" });
  await expect.poll(() => linesOf(page).count()).toBe(1);
  await line.press("Enter");
  expect(await line.getAttribute("aria-expanded")).toBe("true");
  await page.getByText("agent:main:main").last().waitFor();
  await page.getByRole("link", { name: "What happened to this message" }).press("Enter");
  await page.getByRole("heading", { name: "Step by step" }).waitFor();
  const steps = page.getByRole("listitem").filter({ hasText: "local/m was asked" });
  await steps.getByText("Failed").first().waitFor();
  await page.getByRole("link", { name: "Lines of the log" }).press("Enter");
  await linesOf(page).filter({ hasText: "A run failed" }).waitFor();
  await page.getByLabel("With the words").fill("no line has these words");
  await page.getByText("No line fits the filter.").waitFor();
  await page.getByRole("button", { name: "Show all lines" }).press("Enter");
  await expect.poll(() => linesOf(page).count()).toBeGreaterThan(2);
});

test("an address that means nothing shows every line, and no fault", async () => {
  const page = await scene.open({ width: 360 }, "logs?level=loud&source=7&more=yes");
  await linesOf(page).nth(1).waitFor();
  expect(await page.getByRole("radio", { name: "Everything" }).isChecked()).toBe(true);
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.getByRole("radio", { name: "Warnings" }).press("Space");
  await page.waitForURL(/#\/logs\?(?!.*more).*level=warn/);
});

/** Counts how often the page asks for lines from now on. Its timers are those of a clock that the test can move. */
async function countLooks(page: Page): Promise<() => Promise<number>> {
  await page.clock.install();
  await page.evaluate(() => {
    const counted = window as typeof window & { looks?: number };
    const send = Reflect.get(WebSocket.prototype, "send") as (this: WebSocket, data: unknown) => void;
    WebSocket.prototype.send = function count(data) {
      if (typeof data === "string" && data.includes('"logs.tail"')) counted.looks = (counted.looks ?? 0) + 1;
      send.call(this, data);
    };
  });
  return () => page.evaluate(() => (window as typeof window & { looks?: number }).looks ?? 0);
}

test("lines come while the page is open, not while it is paused, and also after a kill and a restart", async () => {
  const page = await scene.open({ width: 360 }, "logs");
  await linesOf(page).first().waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused: new lines come when you continue.").waitFor();
  const looks = await countLooks(page);
  const before = await linesOf(page).first().innerText();
  await scene.product.end("SIGKILL");
  await scene.restart();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.clock.fastForward(10_000);
  expect([await looks(), await linesOf(page).first().innerText()]).toEqual([0, before]);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect.poll(() => linesOf(page).first().innerText(), { timeout: 10_000 }).not.toBe(before);
});

test.each([
  [360, true],
  [1280, false],
])(
  "at %i px, dark: %s, an answer leads to what happened and where the time went, and on to what the model was given",
  async (width, dark) => {
    const page = await scene.open({ width, dark }, "chat/agent:main:main");
    await page
      .getByRole("article", { name: "Assistant" })
      .filter({ hasText: "It is not there." })
      .getByRole("link", { name: "Trace" })
      .click();
    await page.getByText(/^It took .+ in all\. The longest step: /).waitFor();
    const steps = page.getByRole("region", { name: "Step by step" }).getByRole("listitem");
    await expect
      .poll(() => steps.locator("[class*=title]").allInnerTexts())
      .toEqual([
        expect.stringContaining("The message came on"),
        "Work on it began",
        "local/m was asked",
        expect.stringMatching(/^The tool read ran\s*Failed$/),
        "local/m was asked",
        expect.stringMatching(/^Work on it ended\s*Done$/),
      ]);
    for (const name of ["Waiting for its turn", "Models", "Tools", "Delivery", "The gateway itself"])
      await page.getByText(new RegExp(`^${name}: [\\d.]+(ms|s)$`)).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    await steps.getByRole("link", { name: "What it was given" }).first().click();
    await page.waitForURL(/#\/context\/agent:main:main\?request=/);
  },
);

test("a trace that is not kept says so", async () => {
  const page = await scene.open({ width: 360 }, "trace/turn-of-long-ago");
  await page.getByRole("alert").filter({ hasText: "There is no turn" }).waitFor();
  await expect.poll(() => findViolations(page)).toEqual([]);
});
