import { type Product, startProduct } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { startProvider } from "./start-provider.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function say(page: Page, text: string): Promise<void> {
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill(text);
  await input.press("Enter");
}

async function open(page: Page, { url, token }: Product): Promise<void> {
  await page.goto(`${url}/#token=${token}`);
  await page.getByText("Connected").waitFor();
}

/** The rows of the conversation with their kind; expects none to be pending. */
async function lines(page: Page): Promise<readonly string[]> {
  await page.locator(".outgoing").waitFor({ state: "detached" });
  const rows = await page.locator(".rows > .said, .rows > .answer, .rows > .notice").all();
  return Promise.all(
    rows.map(async (row) => {
      const kind = (await row.getAttribute("class"))?.split(" ").filter((name) => ["said", "answer", "notice", "error"].includes(name));
      return `${kind?.join(" ") ?? ""}: ${(await row.innerText()).split("\n")[0] ?? ""}`;
    }),
  );
}

test("a refused first message and a typed command survive a reload, a kill and the fixed setting", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await using first = await startProduct({ config: { agents: { defaults: { model: "nowhere/nothing" } } } });
  await open(page, first);
  await say(page, "My car is blue.");
  await page.locator(".notice.error").waitFor();
  await say(page, "/help");
  await page.locator(".notice.info").waitFor();
  const shown = await lines(page);
  expect(shown).toEqual([
    "said: My car is blue.",
    expect.stringMatching(/^notice error: /) as string,
    "said: /help",
    expect.stringMatching(/^notice: \/new/) as string,
  ]);
  await page.reload();
  await page.locator(".notice.info").waitFor();
  expect(await lines(page)).toEqual(shown);
  await first.end("SIGKILL");

  await using second = await startProduct({ config: {}, home: first.home });
  await open(page, second);
  await page.locator(".notice.info").waitFor();
  expect(await lines(page)).toEqual(shown);
  await say(page, "And now?");
  await page.locator(".answer .time").waitFor();
  expect((await lines(page)).slice(0, 5)).toEqual([...shown, "said: And now?"]);
  expect(complaints).toEqual([]);
  await close();
});

test("an answer that broke off shows one error line, live and after a reload", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await using provider = await startProvider();
  provider.server.respond(() => ({
    ...sayText("I begin, and never end."),
    deltaCharacters: 7,
    fault: { type: "end", afterBytes: 900 },
  }));
  await using product = await startProduct({ config: provider.config });
  await open(page, product);
  await say(page, "Go.");
  await page.locator(".notice.error").waitFor();
  const shown = await lines(page);
  expect(shown).toEqual([
    "said: Go.",
    expect.stringMatching(/^answer: I begin/) as string,
    expect.stringMatching(/^notice error: /) as string,
  ]);
  await page.reload();
  await page.locator(".notice.error").waitFor();
  expect(await lines(page)).toEqual(shown);
  expect(complaints).toEqual([]);
  await close();
});

test("a message that was stopped before an answer, or refused, can be sent again, and is shown once", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 360 });
  await using provider = await startProvider();
  const { server } = provider;
  await using product = await startProduct({ config: provider.config });
  await open(page, product);
  const retry = page.getByRole("button", { name: "Try again" });
  const held = server.hold();
  server.respond(() => sayText("Too late."));
  await say(page, "My one question.");
  await server.nextRequest();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".notice", { hasText: "Stopped" }).waitFor();
  held.open();
  server.respond(() => ({ type: "error", errorType: "authentication", message: "no" }));
  await retry.click();
  await page.locator(".notice.error").waitFor();
  server.respond(() => sayText("Here you are."));
  await retry.click();
  await page.locator(".answer .time").waitFor();
  const shown = [
    "said: My one question.",
    expect.stringMatching(/^notice: Stopped/) as string,
    expect.stringMatching(/^notice error: /) as string,
    "answer: Here you are.",
  ];
  expect(await lines(page)).toEqual(shown);
  await page.reload();
  await page.locator(".answer .time").waitFor();
  expect(await lines(page)).toEqual(shown);
  expect(await retry.count()).toBe(0);
  expect(complaints).toEqual([]);
  await close();
});

test("the model gets a retried message once, with what the failed turn has answered, also after a reload", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await using provider = await startProvider();
  const { server } = provider;
  await using product = await startProduct({ config: provider.config });
  await open(page, product);
  server.respond(() => ({ ...sayText("I begin, and never end."), deltaCharacters: 7, fault: { type: "end", afterBytes: 900 } }));
  await say(page, "My one question.");
  await page.locator(".notice.error").waitFor();
  server.respond(() => ({ type: "error", errorType: "authentication", message: "no" }));
  await page.reload();
  const retry = page.getByRole("button", { name: "Try again" });
  await retry.click();
  await expect.poll(() => page.locator(".notice.error").count()).toBe(2);
  await page.reload();
  server.respond(() => sayText("Here you are."));
  await retry.click();
  // The answer that broke off has a time, too.
  await expect.poll(() => page.locator(".answer .time").count()).toBe(2);
  expect((await lines(page)).filter((line) => line.startsWith("said:"))).toEqual(["said: My one question."]);
  await say(page, "Thanks.");
  await expect.poll(() => page.locator(".answer .time").count()).toBe(3);
  const bodies = server.requests.slice(-2).map(({ body }) => JSON.stringify(body));
  for (const body of bodies) {
    expect(body.split("My one question.")).toHaveLength(2);
    expect(body.indexOf("I begin")).toBeGreaterThan(0);
    expect(body.indexOf("I begin")).toBeLessThan(body.indexOf("My one question."));
  }
  expect(complaints).toEqual([]);
  await close();
});

test("after a typed /stop the newest message can be sent again, as after the button", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 360 });
  await using provider = await startProvider();
  const { server } = provider;
  await using product = await startProduct({ config: { ...provider.config, messages: { queue: { mode: "followup" } } } });
  await open(page, product);
  const retry = page.getByRole("button", { name: "Try again" });
  const held = server.hold();
  server.respond(() => sayText("Too late."));
  await say(page, "My first question.");
  await server.nextRequest();
  await say(page, "My second question.");
  await page.getByText("1 message waits for its turn.").waitFor();
  await say(page, "/stop");
  await page.locator(".notice", { hasText: "Stopped what I was working on, and dropped 1 waiting message." }).waitFor();
  held.open();
  await retry.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.reload();
  server.respond(() => sayText("Here you are."));
  await retry.click();
  await page.locator(".answer .time").waitFor();
  expect((await lines(page)).filter((line) => line.includes("question"))).toEqual([
    "said: My first question.",
    "said: My second question.",
  ]);
  expect(JSON.stringify(server.requests.at(-1)?.body).split("My second question.")).toHaveLength(2);
  expect(complaints).toEqual([]);
  await close();
});
