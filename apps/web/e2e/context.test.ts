import { runCommand } from "@factotum/testing-product";
import { sayText } from "@factotum/testing-providers";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleReport, sampleRequest } from "../test/context-samples.ts";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { region } from "./named.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { useProductPage } from "./product-page.ts";
import { LOOKS } from "./scripted-page.ts";
import { startScriptedGateway } from "./start-gateway.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

/** Presses Tab until an element with this text has the focus. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (focused.startsWith(text)) return;
  }
  throw new Error(`The focus never came to ${text}.`);
}

describe("the built product", () => {
  const scene = useProductPage(({ server, config }) => {
    server.respond(({ body }) => sayText(JSON.stringify(body).includes('"model":"cheap"') ? "Cheaply: Basel." : "Basel."));
    const model = { contextWindow: 100_000, maxOutput: 1000 };
    const models = [
      { id: "m", ...model, cost: { input: 3, output: 15, cacheRead: 0.3 } },
      { id: "cheap", ...model, cost: { input: 1, output: 5 } },
    ];
    const local = { ...config.models.providers["local"], models };
    return { config: { ...config, models: { providers: { local } } } };
  });
  beforeAll(() => say("Where is the carnival?"));

  async function say(message: string): Promise<void> {
    expect(await runCommand(["agent", "--session", "agent:main:main", "--message", message], scene.product)).toMatchObject({ code: 0 });
  }

  test("a request is found by what was asked, shows what changed and why as lines, and follows the conversation", async () => {
    const page = await scene.openEmpty({ width: 1280 });
    await page.goto(`${scene.product.url}/#token=${scene.product.token}&session=agent:main:main`);
    await page.getByText("Connected", { exact: true }).waitFor();
    await tabTo(page, "What the model sees");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Where is the carnival?" }).waitFor();
    expect(page.url()).toMatch(/#\/context\/agent:main:main$/);
    for (const part of ["System prompt", "Earlier messages", "This turn’s text", "This turn’s images", "Tools"])
      expect(await page.getByRole("region", { name: part, exact: true }).count()).toBe(1);
    await region(page, "The context window")
      .getByText(/^About [\d,]+ of 100,000 tokens, estimated; [\d,]+ are free\.$/)
      .waitFor();
    await tabTo(page, "Safety");
    await page.keyboard.press("Enter");
    expect(await page.getByRole("group", { name: "Text of Safety" }).innerText()).toMatch(/^## Safety\n/);

    expect(await runCommand(["config", "set", "agents.defaults.systemPrompt", '"Answer in verse."'], scene.product)).toMatchObject({
      code: 0,
    });
    await say("And the museum?");
    await page.getByRole("heading", { name: "And the museum?" }).waitFor();
    const changes = region(page, "Since the request before");
    await changes.getByText("because the configuration was changed").waitFor();
    expect(await changes.innerText()).toMatch(
      /So [\d,]+ tokens had to be read again instead of coming from the cache, which cost \$0\.\d+ more\./,
    );
    // The answer, which was added, is counted and not listed.
    await changes.getByText("1 message was added.").waitFor();
    expect(await changes.locator("summary").count()).toBe(2);
    await changes.locator("summary").filter({ hasText: "New" }).first().press("Enter");
    await changes.locator("ins").filter({ hasText: "Answer in verse." }).waitFor();
    expect(await findViolations(page)).toEqual([]);

    await page.getByRole("navigation", { name: "Requests" }).getByRole("link", { name: "Where is the carnival?" }).press("Enter");
    await page.getByRole("heading", { name: "Where is the carnival?" }).waitFor();
    expect(page.url()).toContain("?request=");
    await page.reload();
    await page.getByRole("heading", { name: "Where is the carnival?" }).waitFor();
    expect(await page.getByRole("navigation", { name: "Requests" }).getByRole("link").count()).toBe(2);
    await page.getByRole("link", { name: "Back to the conversation" }).click();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
  });

  test("a request is sent again to another model, its price said before, and the conversation stays as it is", async () => {
    const page = await scene.open({ width: 360, dark: true }, "context/agent:main:main");
    const again = region(page, "Ask again");
    await again.getByText(/^Reading [\d,]+ tokens costs about \$[\d.]+; the answer costs \$15\.00 for a million tokens\.$/).waitFor();
    await again.getByRole("combobox", { name: "Model" }).selectOption("local/cheap");
    await again.getByText("the answer costs $5.00 for a million tokens").waitFor();
    await again.getByRole("button", { name: "Send again" }).press("Enter");
    await again.getByText("Cheaply: Basel.").waitFor();
    await again.getByText(/^local\/cheap · [\d,]+ tokens · \$[\d.]+ · not the same bytes as then$/).waitFor();
    expect(await page.getByRole("navigation", { name: "Requests" }).getByRole("link").count()).toBe(2);
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);

    await scene.product.end("SIGKILL");
    await page.getByText("Connected", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "And the museum?" }).waitFor();
  });
});

describe.each(LOOKS)("$width px, dark: $dark", (look) => {
  test("shows cut, foreign and removed sections, folds many messages, and executes nothing in them", async () => {
    const gateway = await startScriptedGateway();
    const request = sampleRequest(2, { asked: "What is in \u{5d0}\u{5d1}?" });
    const report = sampleReport(request);
    const many = Array.from({ length: 40 }, (_, index) => ({
      id: `user-${index}`,
      title: "User",
      chars: 10,
      bytes: 10,
      tokens: 3,
      text: `Question number ${index}`,
    }));
    const parts = report.parts.map((part) => (part.type === "messages" ? { ...part, sections: [...many, ...part.sections] } : part));
    gateway.scripted.intercept = ({ method }) => {
      if (method === "context.list")
        return {
          answer: { requests: [request, sampleRequest(1, { outcome: { type: "failed", code: "timeout", message: "No answer." } })] },
        };
      if (method === "models.list") return { answer: { model: "demo/scripted", models: [], problems: [] } };
      return method === "context.report" ? { answer: { ...report, parts } } : "handle";
    };
    const { page, complaints, close } = await openPage(browser, look);
    await page.goto(`${gateway.url}#token=${gateway.token}&session=agent:main:main&view=context`);
    const shown = page.getByRole("article");
    await shown.waitFor();
    const text = await shown.innerText();
    for (const words of [
      "You asked:",
      "2,210 tokens",
      "2,000 tokens, 90%",
      "$0.0042",
      "demo/large (work) is not asked until",
      "SOUL.md was cut to 20,000 of 31,000 characters by its own limit.",
      "first in “System prompt”, because the configuration was changed.",
      "Tools: 120 → 0 characters",
      "No price is known for this model.",
    ])
      expect(text).toContain(words);
    const messages = page.getByRole("region", { name: "Earlier messages" });
    expect(await messages.locator("summary").count()).toBe(10);
    expect(await messages.locator("summary").first().innerText()).toContain("Question number 31");
    await messages.getByRole("button", { name: "Show 31 earlier messages" }).click();
    expect(await messages.locator("summary").count()).toBe(41);
    expect(await messages.locator("summary").last().innerText()).toMatch(/Result of read\s*Cut\s*From others/);
    await messages.locator("summary").last().click();
    expect(await page.getByRole("group", { name: "Text of Result of read" }).innerText()).toContain("<img src=x onerror=alert(1)>");
    expect(await messages.innerText()).toContain("The model got 300 of 90,000 characters.");
    expect(await page.locator("img").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(await fits(page)).toBe(true);
    expect(complaints).toEqual([]);
    await close();
    await gateway.close();
  });
});
