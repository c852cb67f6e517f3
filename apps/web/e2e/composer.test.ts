import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useScriptedPage } from "./scripted-page.ts";

const scene = useScriptedPage();
const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const DRAFT = "factotum.draft.agent:main:main";
const stored = (page: Page): Promise<string | null> => page.evaluate((key) => sessionStorage.getItem(key), DRAFT);

test("the message field has the focus with a physical keyboard, and not on a phone", async () => {
  const wide = await scene.openChat({ width: 1280 });
  await expect.poll(() => wide.evaluate(() => document.activeElement?.id)).toBe("message");
  await wide.setViewportSize({ width: 360, height: 780 });
  await wide.reload();
  await field(wide).waitFor();
  expect(await wide.evaluate(() => document.activeElement?.id)).not.toBe("message");
});

test("typing after a pasted text of 1,000 lines does not copy the text, and the field stays within the page", async () => {
  const page = await scene.openChat({ width: 1280 });
  const text = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join("\n");
  // Not by `fill`, with which the browser takes many seconds for the lines.
  await field(page).evaluate((element, pasted) => {
    (element as HTMLTextAreaElement).setRangeText(pasted);
    element.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertFromPaste" }));
  }, text);
  expect(await field(page).evaluate((element) => element.getBoundingClientRect().height <= window.innerHeight * 0.4 + 1)).toBe(true);
  await expect.poll(() => stored(page)).toBe(text);
  // Work per key press: no copy of the text, and no write to the storage.
  await page.evaluate(() => {
    const counts = { copies: 0, writes: 0 };
    (window as unknown as { counts: typeof counts }).counts = counts;
    new MutationObserver(
      (records) => (counts.copies += records.filter(({ attributeName }) => attributeName === "data-text").length),
    ).observe(document.querySelector(".composer") ?? document.body, { subtree: true, attributes: true });
    const { value } = Object.getOwnPropertyDescriptor(Storage.prototype, "setItem") as { value: (this: Storage, ...all: string[]) => void };
    Storage.prototype.setItem = function setItem(...all) {
      counts.writes += 1;
      value.call(this, ...all);
    };
  });
  await field(page).focus();
  await page.keyboard.press("End");
  await page.keyboard.type("and some more words", { delay: 0 });
  await expect.poll(async () => (await stored(page))?.includes("and some more words")).toBe(true);
  const counts = await page.evaluate(() => (window as unknown as { counts: { copies: number; writes: number } }).counts);
  expect(counts.copies).toBe(0);
  expect(counts.writes).toBeLessThan(10);
});

test("a draft is stored when the page is left, even in the middle of a word", async () => {
  const page = await scene.openChat({ width: 360 });
  await field(page).fill("half a thou");
  await page.reload();
  await expect.poll(() => field(page).inputValue()).toBe("half a thou");
  await field(page).press("Enter");
  await page.getByRole("article", { name: "You" }).filter({ hasText: "half a thou" }).waitFor();
  await page.reload();
  await page.getByRole("article", { name: "You" }).filter({ hasText: "half a thou" }).waitFor();
  expect(await field(page).inputValue()).toBe("");
});

test("↑ recalls the last message in an empty field, and moves the caret in any other", async () => {
  const page = await scene.openChat({ width: 1280 });
  await field(page).press("ArrowUp");
  expect(await field(page).inputValue()).toBe("");
  await field(page).fill("first line\nsecond line");
  await field(page).press("Enter");
  await page.getByRole("article", { name: "You" }).waitFor();
  await field(page).press("ArrowUp");
  expect(await field(page).inputValue()).toBe("first line\nsecond line");
  await field(page).fill("other");
  await field(page).press("ArrowUp");
  expect(await field(page).inputValue()).toBe("other");
});
