import { runCommand, startProduct } from "@factotum/testing-product";
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

test.each([360, 1280])("at %i px the page says why messages wait, live and after a reload, until they are processed", async (width) => {
  await using provider = await startProvider();
  const { server, config } = provider;
  server.respond(() => sayText("Done."));
  await using product = await startProduct({
    config: { ...config, agents: { defaults: { ...config.agents.defaults, maxConcurrent: 1 } }, messages: { queue: { mode: "followup" } } },
  });
  const elsewhere = server.hold();
  const command = runCommand(["agent", "--session", "agent:main:elsewhere", "--message", "from elsewhere"], product);
  await server.nextRequest();
  const first = server.hold();
  const { page, complaints, close } = await openPage(browser, { width });
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.getByText("Connected").waitFor();
  await say(page, "the first");
  const note = page.locator(".queue");
  await note.getByText("1 message waits for its turn. Other conversations are being answered: at most 1 at once").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.reload();
  await note.getByText("at most 1 at once").waitFor();
  const sizes = await page.evaluate(() => ({ page: document.documentElement.scrollWidth, window: window.innerWidth }));
  expect(sizes.page).toBeLessThanOrEqual(sizes.window);

  elsewhere.open();
  expect(await command).toMatchObject({ code: 0 });
  await note.waitFor({ state: "detached" });
  await say(page, "the second");
  await note.getByText("1 message waits for its turn. Earlier work in this conversation comes first.").waitFor();
  first.open();
  await note.waitFor({ state: "detached" });
  await page.getByRole("article", { name: "Assistant" }).nth(1).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
