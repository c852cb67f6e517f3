import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { type GatewayUnderTest, startBuiltGateway } from "./start-gateway.ts";

let browser: Browser;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  [browser, gateway] = await Promise.all([openBrowser(), startBuiltGateway()]);
});
afterAll(async () => {
  await browser.close();
  await gateway.close();
});

test("a word of a message leads to it; conversations are pinned and put away", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  for (const [name, text] of [
    ["first", "hello asparagus"],
    ["second", "hello beetroot"],
  ] as const) {
    await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:webchat:direct:${name}`);
    await page.reload();
    const input = page.getByRole("textbox", { name: "Message" });
    await input.fill(text);
    await input.press("Enter");
    await page.getByRole("button", { name: "Copy answer" }).waitFor();
  }
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("asparagus");
  const hits = page.getByRole("region", { name: "In messages" });
  await hits.getByRole("button").filter({ hasText: "hello asparagus" }).first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  await hits.getByRole("button").filter({ hasText: "hello asparagus" }).first().click();
  await page.waitForURL(/direct:first/);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("hello asparagus");

  await page.getByRole("searchbox", { name: "Search conversations" }).fill("");
  const rows = page.getByRole("navigation", { name: "Conversations" });
  await rows.getByRole("button", { name: "Manage hello beetroot" }).click();
  await page.getByRole("button", { name: "Pin", exact: true }).click();
  await rows.getByRole("region", { name: "Pinned" }).getByText("hello beetroot").waitFor();
  await rows.getByRole("button", { name: "Manage hello beetroot" }).click();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await rows.getByText("hello beetroot").waitFor({ state: "detached" });
  await rows.getByRole("button", { name: "Show archived" }).click();
  await rows.getByText("hello beetroot").waitFor();
  expect(complaints).toEqual([]);
  await close();
});
