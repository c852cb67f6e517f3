import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { useProductPage } from "./product-page.ts";

const LONGEST = "agent:main:webchat:direct:longest";
const LONG = "agent:main:webchat:direct:long";
/** Begins every fifth answer, which the page shows from the right. */
const PERSIAN = "کتری کجاست؟";

const scene = useProductPage(({ server, config }) => {
  server.respond(() => sayText("It is on the stove."));
  return { config };
});
beforeAll(async () => {
  await importMessages(LONGEST, 10_000);
  await importMessages(LONG, 600);
});

/** A conversation of numbered messages, as `sessions import` takes it. */
async function importMessages(key: string, count: number): Promise<void> {
  const timestamp = new Date().toISOString();
  const lines = Array.from({ length: count }, (_, index) => {
    const content = [{ type: "text", text: `${index % 10 === 9 ? PERSIAN : "The kettle:"} ${textOf(index)}` }];
    const message = index % 2 === 0 ? { role: "user", content } : { role: "assistant", content, stopReason: "stop" };
    return { type: "message", id: `m${index}`, parentId: index === 0 ? null : `m${index - 1}`, timestamp, message };
  });
  const file = join(scene.product.home, `${count}.jsonl`);
  await writeFile(
    file,
    [{ type: "session", version: 3, id: "long", timestamp }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  const { code, stderr } = await runCommand(["sessions", "import", file, "--key", key], scene.product);
  expect([code, stderr]).toEqual([0, expect.anything()]);
}

const textOf = (index: number): string => `word${index}.`;
const rows = (page: Page): Promise<number> => page.locator("[role=log] article").count();

test.each([
  { width: 1280, locale: "en-GB", list: "Conversations" },
  { width: 360, locale: "zh-CN", list: "对话" },
])("at $width px 10,000 messages are opened at their end, and a word from the beginning is found and shown", async (look) => {
  const page = await scene.open(look, `chat/${LONGEST}`);
  await page.getByText(textOf(9_999)).waitFor();
  expect(await rows(page)).toBeLessThan(200);
  expect(await findViolations(page)).toEqual([]);
  const search = page.getByRole("searchbox");
  if ((await search.count()) === 0) await page.getByRole("button", { name: look.list }).click();
  await search.fill("word14");
  await page
    .getByRole("button")
    .filter({ hasText: textOf(14) })
    .click();
  await page.getByRole("log").getByText(textOf(14)).waitFor();
  await page.getByRole("log").getByText(textOf(20)).waitFor();
  const directions = await page.evaluate(
    (words) =>
      [...document.querySelectorAll("[role=log] p")]
        .filter((one) => one.textContent.includes(words))
        .map((one) => getComputedStyle(one).direction),
    PERSIAN,
  );
  expect(new Set(directions)).toEqual(new Set(["rtl"]));
  expect(await rows(page)).toBeLessThan(1_000);
});

test("600 messages can be read to their beginning", async () => {
  const page = await scene.open({ width: 360 }, `chat/${LONG}`);
  await page.getByText(textOf(599)).waitFor();
  const log = page.getByRole("log");
  await expect
    .poll(async () => {
      await log.evaluate((element) => {
        element.scrollTop = 0;
      });
      return page.getByText(textOf(0), { exact: false }).count();
    })
    .toBe(1);
  await page.getByRole("button", { name: "Go to the newest message" }).click();
  await page.getByText(textOf(599)).waitFor();
});

test("two tabs show the same: messages, their answers, names, and what was deleted", async () => {
  const one = await scene.open({ width: 1280 }, `chat/${LONG}`);
  const other = await scene.open({ width: 1280 }, `chat/${LONG}`);
  await one.getByRole("textbox", { name: "Message" }).fill("Where is the kettle?");
  await one.getByRole("textbox", { name: "Message" }).press("Enter");
  for (const page of [one, other]) {
    await page.getByText("Where is the kettle?").last().waitFor();
    await page.getByText("It is on the stove.").last().waitFor();
  }
  await runCommand(["sessions", "rename", LONG, "Kettles"], scene.product);
  for (const page of [one, other]) await page.getByText("Kettles", { exact: true }).first().waitFor();
  await runCommand(["sessions", "delete", LONG, "--yes"], scene.product);
  for (const page of [one, other]) await expect.poll(() => page.getByText("Kettles", { exact: true }).count()).toBe(0);
});
