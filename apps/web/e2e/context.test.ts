import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleReport, sampleRequest } from "../test/context-samples.ts";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { LOOKS } from "./scripted-page.ts";
import { type GatewayUnderTest, startBuiltGateway, startScriptedGateway } from "./start-gateway.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

/** Presses Tab until an element with this text has the focus. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (focused.startsWith(text)) return;
  }
  throw new Error(`The focus never came to ${text}.`);
}

const fits = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

describe("the built product", () => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await startBuiltGateway();
  });

  afterAll(() => gateway.close());

  test.each([360, 1280])("at %i px a section's text is reached from the chat by keyboard alone, and back", async (width) => {
    const { page, complaints, close } = await openPage(browser, { width });
    await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:webchat:direct:context-${width}`);
    await page.getByText("Connected").waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("List the files in your workspace");
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "Assistant" }).last().locator(".time").waitFor();
    await tabTo(page, "What the model sees");
    await page.keyboard.press("Enter");
    const report = page.getByRole("article", { name: /^Turn 1, request [2-9]/ });
    await report.waitFor();
    expect(page.url()).toContain("#/context/agent:main:");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Back to the conversation");
    for (const part of ["System prompt", "Earlier messages", "This turn’s text", "This turn’s images", "Tools"])
      expect(await page.getByRole("region", { name: part }).count()).toBe(1);
    expect(await report.innerText()).toContain("byte for byte");
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);

    await tabTo(page, "Safety");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("group", { name: "Text of Safety" }).innerText()).toMatch(/^## Safety\n/);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: /^Turn 1, request 1/ }).click();
    await page.getByRole("article", { name: "Turn 1, request 1" }).waitFor();
    await page.reload();
    await report.waitFor();
    await page.getByRole("button", { name: "Back to the conversation" }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(page.url()).toContain("#/chat/agent:main:");
    await page.goBack();
    await report.waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("shows changed, truncated and removed sections, and executes nothing in them", async () => {
    const gateway = await startScriptedGateway();
    const request = sampleRequest(2);
    gateway.scripted.intercept = ({ method }) => {
      if (method === "context.list")
        return {
          answer: { requests: [request, sampleRequest(1, { outcome: { type: "failed", code: "timeout", message: "No answer." } })] },
        };
      return method === "context.report" ? { answer: sampleReport(request) } : "handle";
    };
    const { page, complaints, close } = await openPage(browser, look);
    await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:main&view=context`);
    const report = page.getByRole("article", { name: "Turn 2, request 1" });
    await report.waitFor();
    const text = await report.innerText();
    for (const words of [
      "2,210 tokens of 200,000",
      "2,000 tokens",
      "$0.0042",
      "demo/large (work) is not asked until",
      "SOUL.md was cut to 20,000 of 31,000 characters by its own limit.",
      "It does not begin with turn 1, request 1, because of config-change: first in system prompt.",
      "Gone from tools: ls (120 characters)",
    ]) {
      expect(text).toContain(words);
    }
    expect(await page.locator(".context-section.changed").allInnerTexts()).toMatchObject([
      expect.stringMatching(/Runtime\s*Changed/),
      expect.stringMatching(/Result of read\s*New\s*Cut\s*From others/),
    ]);
    for (const summary of await page.locator(".context-section > summary").all()) await summary.click();
    expect(await page.getByRole("group", { name: "Text of Result of read" }).innerText()).toContain("<img src=x onerror=alert(1)>");
    expect(await report.innerText()).toContain("The model got 300 of 90,000 characters.");
    expect(await report.innerText()).toContain("490 characters more were sent");
    expect((await report.innerText()).match(/words or files of others/g)).toHaveLength(1);
    expect(await page.locator("img").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    expect(complaints).toEqual([]);
    await close();
    await gateway.close();
  });

  test("a report that fails to load says why, and can be retried", async () => {
    const gateway = await startScriptedGateway();
    const request = sampleRequest(1);
    let works = false;
    gateway.scripted.intercept = ({ method }) => {
      if (method === "context.list") return works ? { answer: { requests: [request] } } : { answer: { requests: "nonsense" } };
      return method === "context.report" ? { answer: sampleReport(request) } : "handle";
    };
    const { page, close } = await openPage(browser, look);
    await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:main&view=context`);
    await page.getByRole("alert").waitFor();
    expect(await findViolations(page)).toEqual([]);
    works = true;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("article", { name: "Turn 1, request 1" }).waitFor();
    await close();
    await gateway.close();
  });
});
