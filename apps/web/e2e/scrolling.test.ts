import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();

/** A conversation with `count` messages of different heights. */
async function openLong(width: number, count: number): Promise<Page> {
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  for (let index = 0; index < count; index += 1)
    session.say(`message number ${index}. ${"It is long. ".repeat((index * 7) % 60)}`, `k-${index}`);
  const page = await scene.openChat({ width });
  await page.getByText(`message number ${count - 1}.`).waitFor();
  return page;
}

const log = (page: Page) => page.getByRole("log", { name: "Conversation" });
const fromEnd = (page: Page): Promise<number> =>
  log(page).evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
const topOf = (page: Page, index: number): Promise<number> =>
  page.getByText(`message number ${index}.`).evaluate((element) => Math.round(element.getBoundingClientRect().top));
/** Waits for the frame in which the changes are laid out. */
const settle = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));

test.each([360, 1280])("at %i px scrolling up loads older messages, to the beginning, without moving the visible ones", async (width) => {
  const page = await openLong(width, 160);
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
  for (const [seen, older] of [
    [112, 61],
    [63, 11],
    [13, 0],
  ] as const) {
    await page.getByText(`message number ${seen}.`).scrollIntoViewIfNeeded();
    await settle(page);
    const before = await topOf(page, seen);
    await page.getByText(`message number ${older}.`).waitFor({ state: "attached" });
    await settle(page);
    expect(Math.abs((await topOf(page, seen)) - before)).toBeLessThanOrEqual(2);
  }
  await page.getByRole("button", { name: "Show earlier messages" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Go to the newest message" }).click();
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
});

test("the end stays visible when a phone's keyboard opens and closes, and when the phone is rotated", async () => {
  const page = await openLong(390, 40);
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
  for (const [width, height] of [
    [390, 420],
    [390, 844],
    [844, 390],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await settle(page);
    await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
    expect(await page.getByRole("button", { name: "Go to the newest message" }).count()).toBe(0);
  }
});

test("a reader further up keeps the row when the view is resized, and when an answer grows below", async () => {
  const page = await openLong(390, 40);
  await page.getByText("message number 0.").waitFor({ state: "attached" });
  // Rows that come into view get their height only then, which may move this one out of it again.
  await expect
    .poll(async () => {
      await log(page).evaluate((element) => {
        const row = [...element.querySelectorAll("article")].find((one) => one.textContent.startsWith("message number 20."));
        element.scrollTop += (row?.getBoundingClientRect().top ?? 0) - element.getBoundingClientRect().top;
      });
      await settle(page);
      const edge = await log(page).evaluate((element) => element.getBoundingClientRect().top);
      return Math.abs(
        (await page.locator("article", { hasText: "message number 20." }).evaluate((row) => row.getBoundingClientRect().top)) - edge,
      );
    })
    .toBeLessThanOrEqual(2);
  const before = await topOf(page, 20);
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  session.startRun();
  session.startBlock("text");
  session.write("A new answer.\n\n".repeat(40));
  await page.getByText("A new answer.").last().waitFor({ state: "attached" });
  await settle(page);
  expect(Math.abs((await topOf(page, 20)) - before)).toBeLessThanOrEqual(2);
  await page.setViewportSize({ width: 844, height: 390 });
  await settle(page);
  await expect.poll(async () => Math.abs((await topOf(page, 20)) - before)).toBeLessThanOrEqual(2);
  await page.getByRole("button", { name: "Go to the newest message" }).waitFor();
  session.commitAnswer([], "stop");
  session.endRun("done");
});

test("a conversation opens with its newest rows, and rows outside the view follow in steps", async () => {
  const { session } = scene.gateway.scripted.conversation("agent:main:main");
  for (let index = 0; index < 50; index += 1) session.say(`message number ${index}.`, `k-${index}`);
  const page = await scene.open({ width: 1280 });
  await page.addInitScript(() => {
    const steps: number[] = [];
    (window as unknown as { steps: number[] }).steps = steps;
    new MutationObserver((records) => {
      const added = records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node instanceof Element);
      const rows = added.reduce((sum, node) => sum + node.querySelectorAll(".said").length + (node.matches(".said") ? 1 : 0), 0);
      if (rows > 0) steps.push(rows);
    }).observe(document, { subtree: true, childList: true });
  });
  await page.goto(`${scene.gateway.url}#token=${scene.gateway.token}`);
  await page.getByText("message number 0.").waitFor({ state: "attached" });
  const steps = await page.evaluate(() => (window as unknown as { steps: number[] }).steps);
  expect(steps.reduce((sum, rows) => sum + rows, 0)).toBe(50);
  expect(Math.max(...steps)).toBeLessThanOrEqual(12);
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
});

test("rows outside the view can be found, selected and read aloud like all others", async () => {
  const page = await openLong(1280, 50);
  await expect.poll(() => fromEnd(page)).toBeLessThanOrEqual(1);
  // The newest rows are drawn first.
  await expect.poll(() => page.getByRole("article", { name: "You" }).count()).toBe(50);
  const selected = await page.evaluate(() => {
    window.getSelection()?.selectAllChildren(document.querySelector(".chat-column") ?? document.body);
    return window.getSelection()?.toString() ?? "";
  });
  for (let index = 0; index < 50; index += 1) expect(selected).toContain(`message number ${index}.`);
  await page.evaluate(() => window.getSelection()?.removeAllRanges());
  const found = await page.evaluate(() => {
    const isFound = (window as unknown as { find(text: string, ...options: boolean[]): boolean }).find(
      "message number 3.",
      false,
      false,
      true,
    );
    window.getSelection()?.anchorNode?.parentElement?.scrollIntoView({ block: "center" });
    return isFound;
  });
  expect(found).toBe(true);
  await settle(page);
  const top = await topOf(page, 3);
  expect(top).toBeGreaterThan(0);
  expect(top).toBeLessThan(780);
});
