import type { Browser, Page } from "playwright-core";
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

const said = (page: Page) => page.getByRole("article", { name: "You" });
const answered = async (page: Page, count: number): Promise<void> => {
  await expect.poll(() => page.getByRole("article", { name: "Assistant" }).locator(".time").count()).toBe(count);
};

async function say(page: Page, text: string): Promise<void> {
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill(text);
  await input.press("Enter");
}

test.each([360, 1280])(
  "a message is edited into a branch, both branches are reached, and an answer is asked for again, at %i px",
  async (width) => {
    const { page, complaints, close } = await openPage(browser, { width, dark: width === 360 });
    await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:webchat:direct:branches-${width}`);
    await say(page, "hello one");
    await answered(page, 1);
    await say(page, "hello two");
    await answered(page, 2);

    await said(page).first().getByRole("button", { name: "Edit message" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("You are editing a message.").waitFor();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("hello one");
    await say(page, "hello again");
    await answered(page, 1);
    await page.getByText("2 of 2").waitFor();
    expect(await said(page).allInnerTexts()).toEqual([expect.stringContaining("hello again")]);
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole("button", { name: "Earlier version of the message" }).click();
    await page.getByText("1 of 2").waitFor();
    await expect.poll(() => said(page).count()).toBe(2);
    await page.reload();
    await page.getByText("1 of 2").waitFor();
    await answered(page, 2);
    await page.getByRole("button", { name: "Regenerate answer" }).last().click();
    await page.getByText("2 of 2").waitFor();
    await answered(page, 2);
    expect(await said(page).last().innerText()).toContain("hello two");

    await page.getByRole("button", { name: "Context of the answer" }).last().click();
    await page.waitForURL(/#\/context\/.*\?request=/);
    await page.getByText("edited").first().waitFor();

    // A command is no part of what the model was given: edited, it is another message.
    await page.goBack();
    await say(page, "/whoami");
    await expect.poll(() => said(page).count()).toBe(3);
    await said(page).last().getByRole("button", { name: "Edit message" }).click();
    await expect.poll(() => page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("/whoami");
    expect(await page.getByText("You are editing a message.").count()).toBe(0);
    await say(page, "hello three");
    await answered(page, 3);
    expect(await said(page).last().innerText()).toContain("hello three");
    expect(complaints).toEqual([]);
    await close();
  },
);

test("a search finds a version that is not shown, says so, and leads to it", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:webchat:direct:branches-search`);
  await say(page, "hello asparagus");
  await answered(page, 1);
  await said(page).getByRole("button", { name: "Edit message" }).click();
  await page.getByText("You are editing a message.").waitFor();
  await say(page, "hello beetroot");
  await page.getByText("2 of 2").waitFor();
  await answered(page, 1);
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("asparagus");
  const hits = page.getByRole("region", { name: "In messages" });
  await hits
    .getByRole("button")
    .filter({ hasText: "hello asparagus" })
    .filter({ hasText: "in a version that is not shown" })
    .last()
    .click();
  await page.getByText("1 of 2").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("hello asparagus");
  await hits.getByText("in a version that is not shown").first().waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
  await close();
});
