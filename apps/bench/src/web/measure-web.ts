import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Product, runCommand, startProduct } from "@factotum/testing-product";
import type { Browser, Page, Response } from "playwright-core";
import type { Measurements } from "../report/figures.ts";
import { percentile } from "../report/percentile.ts";
import { codeAnswer, LOADED_MESSAGES, longConversation, mixedAnswer, OPENED_MESSAGES } from "./conversation.ts";
import { openBrowser, openPage, readBusyMs } from "./open-page.ts";
import { startPacedProvider } from "./paced-provider.ts";

const MIXED = { asked: "Explain the kettle", text: mixedAnswer(2000), tokensPerSecond: 200 };
const CODE = { asked: "Write the program", text: codeAnswer(2000), tokensPerSecond: 500 };
/** A phone on a weak network, as the budget states it. */
const PHONE = { latencyMs: 150, bytesPerSecond: 1_600_000 / 8, slowdown: 4, runs: 7 };
const KEY_EVERY_MS = 150;
const OPENINGS = 5;
const LIMIT_MS = 120_000;

/** Opens the built page in Chromium, with a provider that writes at a fixed rate: measures how soon it is ready, and how it keeps up. */
export async function measureWeb(options: {
  readonly entry: string | undefined;
  readonly onStep: (step: string) => void;
}): Promise<Measurements> {
  await using provider = await startPacedProvider([MIXED, CODE]);
  const build = options.entry === undefined ? {} : { entry: options.entry };
  const paced = { api: "openai-chat", baseUrl: provider.baseUrl, models: [{ id: "m", contextWindow: 200_000, maxOutput: 100_000 }] };
  await using product = await startProduct({
    ...build,
    config: { agents: { defaults: { model: "paced/m" } }, models: { providers: { paced } } },
  });
  const key = "agent:main:webchat:direct:long";
  const longest = "agent:main:webchat:direct:longest";
  for (const [name, count] of [
    [key, LOADED_MESSAGES],
    [longest, OPENED_MESSAGES],
  ] as const) {
    const file = path.join(product.home, `${count}.jsonl`);
    await writeFile(file, longConversation(count));
    const imported = await runCommand(["sessions", "import", file, "--key", name], { home: product.home, ...build });
    if (imported.code !== 0) throw new Error(`The conversation could not be imported: ${imported.stderr}${imported.stdout}`);
  }
  const browser = await openBrowser();
  try {
    options.onStep("the page on a phone");
    const phone = await measurePhone(browser, product, key);
    options.onStep(`an answer at ${MIXED.tokensPerSecond} tokens/s below ${LOADED_MESSAGES} messages`);
    const frames = await measureFrames(browser, product, key);
    options.onStep(`a conversation of ${OPENED_MESSAGES} messages`);
    const opened = await measureOpening(browser, product, { from: key, to: longest });
    options.onStep(`2,000 lines of code at ${CODE.tokensPerSecond} tokens/s`);
    const code = await measureCode(browser, product);
    return { ...phone, ...frames, ...opened, ...code };
  } finally {
    await browser.close();
  }
}

async function measurePhone(browser: Browser, product: Product, key: string): Promise<Measurements> {
  const paints: number[] = [];
  const shown: number[] = [];
  let scriptBytes = 0;
  for (let run = 0; run < PHONE.runs; run += 1) {
    const opened = await openPage(browser, { width: 390, height: 844 });
    const { page, debuggerSession } = opened;
    await debuggerSession.send("Network.enable");
    const speed = { latency: PHONE.latencyMs, downloadThroughput: PHONE.bytesPerSecond, uploadThroughput: PHONE.bytesPerSecond };
    await debuggerSession.send("Network.emulateNetworkConditions", { offline: false, ...speed });
    await debuggerSession.send("Emulation.setCPUThrottlingRate", { rate: PHONE.slowdown });
    const scripts: Promise<number>[] = [];
    const addScript = (response: Response): void => {
      // What highlights code is loaded behind the conversation, and has a limit of its own.
      if (response.url().endsWith(".js") && !response.url().includes("/tokenize-worker-")) scripts.push(readSize(response));
    };
    page.on("response", addScript);
    const shownAt = await observeWords(page, `That is all of answer ${LOADED_MESSAGES / 2}.`);
    await page.goto(addressOf(product, key), { waitUntil: "commit" });
    shown.push(await shownAt.promise);
    // Later scripts do not count, and closing the page interrupts them.
    page.off("response", addScript);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN));
    scriptBytes = (await Promise.all(scripts)).reduce((sum, bytes) => sum + bytes, 0);
    await opened.close();
  }
  return {
    webScript: { value: scriptBytes / 1000 },
    webPaint: { value: percentile(paints, 0.5) },
    webShown: { value: percentile(shown, 0.5) },
  };
}

/**
 * Waits for words in the conversation of the page that is opened next: milliseconds from the start of the navigation to the frame with them. The page tells
 * by itself, since a driver that looks again and again would take part of the slowed-down processor, and look too late.
 */
async function observeWords(page: Page, words: string): Promise<{ readonly promise: Promise<number> }> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(new Error(`The page has not shown "${words}".`)), LIMIT_MS);
  await page.exposeFunction("tellShown", (ms: number) => {
    clearTimeout(timer);
    resolve(ms);
  });
  await page.addInitScript((wanted) => {
    const { tellShown } = globalThis as unknown as { tellShown: (ms: number) => void };
    const observer = new MutationObserver(() => {
      if (document.querySelector("[role=log]")?.textContent.includes(wanted) !== true) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => tellShown(performance.now())));
    });
    observer.observe(document, { childList: true, subtree: true });
  }, words);
  // In an object: the promise itself would be waited for.
  return { promise };
}

async function readSize(response: Response): Promise<number> {
  return (await response.request().sizes()).responseBodySize;
}

async function measureFrames(browser: Browser, product: Product, key: string): Promise<Measurements> {
  const opened = await openPage(browser, { width: 1280, height: 800 });
  const { page } = opened;
  await page.goto(addressOf(product, key));
  await page.getByText(`That is all of answer ${LOADED_MESSAGES / 2}.`).waitFor();
  await loadEverything(page);
  await record(page);
  const answer = await ask(page, MIXED.asked);
  await answer.getByText("Paragraph 0").waitFor();
  await takeRecord(page);
  const startedAt = performance.now();
  const busyBefore = await readBusyMs(browser);
  // Not by its role: computing roles for 600 messages would dominate the measurement.
  const stop = page.locator('button[aria-label="Stop"]');
  while (await stop.isVisible()) {
    await page.keyboard.press("x");
    await delay(KEY_EVERY_MS);
  }
  const { frames, keys } = await takeRecord(page);
  const busy = (100 * ((await readBusyMs(browser)) - busyBefore)) / (performance.now() - startedAt);
  await opened.close();
  if (frames.length < 100 || keys.length < 10) throw new Error(`Only ${frames.length} frames were drawn: the answer was not streamed.`);
  // A screen has whole frames: two of them are 33 ms, whatever their fractions.
  return { webFrame: { value: Math.round(percentile(frames, 0.95)) }, webKey: { value: percentile(keys, 0.95) }, webBusy: { value: busy } };
}

/** Goes from a conversation to a long one, and back, several times. */
async function measureOpening(
  browser: Browser,
  product: Product,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Measurements> {
  const opened = await openPage(browser, { width: 1280, height: 800 });
  const { page } = opened;
  await page.goto(addressOf(product, from));
  const times: number[] = [];
  for (let run = 0; run < OPENINGS; run += 1) {
    await page.getByText(`That is all of answer ${LOADED_MESSAGES / 2}.`).waitFor();
    times.push(await page.evaluate(openConversation, { key: to, words: `That is all of answer ${OPENED_MESSAGES / 2}.` }));
    await page.goBack();
  }
  await opened.close();
  return { webOpen: { value: percentile(times, 0.5) } };
}

/** In the page: milliseconds from the change of the address to the frame with the newest answer. */
async function openConversation({ key, words }: { readonly key: string; readonly words: string }): Promise<number> {
  const startedAt = performance.now();
  location.hash = `#/chat/${key}`;
  const isShown = (): boolean => document.querySelector("[role=log]")?.textContent.includes(words) === true;
  while (!isShown()) await new Promise((resolve) => requestAnimationFrame(resolve));
  return performance.now() - startedAt;
}

async function measureCode(browser: Browser, product: Product): Promise<Measurements> {
  const opened = await openPage(browser, { width: 1280, height: 800 });
  const { page } = opened;
  await page.goto(addressOf(product, "agent:main:webchat:direct:code"));
  await page.getByText("Connected").waitFor();
  await recordLongTasks(page);
  const answer = await ask(page, CODE.asked);
  await answer.getByText("value0 =").waitFor();
  const startedAt = performance.now();
  const busyBefore = await readBusyMs(browser);
  await answer.getByText("value1999 =").waitFor({ timeout: LIMIT_MS, state: "attached" });
  const busy = (await readBusyMs(browser)) - busyBefore;
  const wall = performance.now() - startedAt;
  const longest = await page.evaluate(() => Math.max(0, ...(globalThis as unknown as { longTasks: number[] }).longTasks));
  await opened.close();
  const expected = (CODE.text.length / 4 / CODE.tokensPerSecond) * 1000;
  if (wall < expected * 0.8) throw new Error("The code came faster than it was written.");
  return { webCode: { value: (100 * busy) / wall }, webLongest: { value: longest } };
}

function addressOf(product: Product, key: string): string {
  return `${product.url}/#token=${product.token}&session=${key}`;
}

/** Scrolls up until every message is there, and back to the end. */
async function loadEverything(page: Page): Promise<void> {
  const log = page.getByRole("log", { name: "Conversation" });
  const first = page.getByText("Question 1: what about the kettle?");
  while ((await first.count()) === 0) {
    await log.evaluate((element) => {
      element.scrollTop = 0;
    });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
  }
  await page.getByRole("button", { name: "Go to the newest message" }).click();
}

async function ask(page: Page, words: string): Promise<ReturnType<Page["locator"]>> {
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill(words);
  await input.press("Enter");
  return page.getByRole("article", { name: "Assistant" }).last();
}

/** What a page has rendered. */
interface Drawn {
  /** Milliseconds between frames. */
  readonly frames: number[];
  /** Milliseconds from a key press to the frame that shows it. */
  readonly keys: number[];
}

async function record(page: Page): Promise<void> {
  await page.evaluate(() => {
    const drawn: Drawn = { frames: [], keys: [] };
    (globalThis as unknown as { drawn: Drawn }).drawn = drawn;
    let last = performance.now();
    const next = (now: number): void => {
      drawn.frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
    document.addEventListener("keydown", ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => drawn.keys.push(performance.now() - timeStamp))),
    );
  });
}

/** What was rendered since the last call. */
async function takeRecord(page: Page): Promise<Drawn> {
  return page.evaluate(() => {
    const { frames, keys } = (globalThis as unknown as { drawn: Drawn }).drawn;
    return { frames: frames.splice(0), keys: keys.splice(0) };
  });
}

async function recordLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const longTasks: number[] = [];
    (globalThis as unknown as { longTasks: number[] }).longTasks = longTasks;
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  });
}
