import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { fits } from "./fits.ts";
import { openBrowser, openPage } from "./open-browser.ts";
import { type GatewayUnderTest, startBuiltGateway, startScriptedGateway } from "./start-gateway.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

describe.each([
  { name: "the built product", start: startBuiltGateway },
  { name: "the scripted gateway", start: startScriptedGateway },
])("$name", ({ start }) => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await start();
  });

  afterAll(() => gateway.close());

  /** Each test uses a conversation of its own. */
  const addressOf = (name: string): string => `${gateway.url}#token=${gateway.token}&session=agent:main:webchat:direct:${name}`;

  test("the conversation of an address is asked for once, while the program is loaded", async () => {
    const { page, complaints, close } = await openPage(browser, { width: 360 });
    const sent: string[] = [];
    const asked = Promise.withResolvers<void>();
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        sent.push(String(payload));
        if (String(payload).includes("chat.subscribe")) asked.resolve();
      }),
    );
    await page.route("**/start-*.js", async (route) => {
      await asked.promise;
      await route.continue();
    });
    await page.goto(addressOf("early"));
    await page.getByText("Connected").waitFor();
    await page.getByText("Loading the conversation").waitFor({ state: "detached" });
    // The token has left the address, which has become that of a route.
    await page.reload();
    await page.getByText("Connected").waitFor();
    await page.getByText("Loading the conversation").waitFor({ state: "detached" });
    const methods = sent.map((frame) => (JSON.parse(frame) as { type: string; method?: string }).method ?? "connect");
    expect(methods.filter((method) => method === "connect" || method.endsWith("subscribe"))).toEqual([
      "connect",
      "chat.subscribe",
      "connect",
      "chat.subscribe",
    ]);
    expect(complaints).toEqual([]);
    await close();
  });

  describe.each([360, 1280])("at %i px", (width) => {
    test("opens, asks, and sees the tool call and the answer by keyboard alone", async () => {
      const { page, complaints, close } = await openPage(browser, { width });
      const addresses: string[] = [];
      page.on("request", (request) => addresses.push(request.url()));
      page.on("websocket", (socket) => addresses.push(socket.url()));
      await page.goto(addressOf(`keys-${width}`));
      await page.getByText("Connected").waitFor();
      expect(page.url()).not.toContain(gateway.token);
      expect(addresses.length).toBeGreaterThan(3);
      expect(addresses.filter((address) => address.includes(gateway.token))).toEqual([]);
      expect(await findViolations(page)).toEqual([]);

      const focused = (): Promise<string | null | undefined> =>
        page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent);
      // With a physical keyboard the field has the focus; on a phone it is one step away.
      if (width === 360) {
        await page.keyboard.press("Tab");
        expect(await focused()).toBe("Go to the message field");
        await page.keyboard.press("Enter");
      }
      expect(await focused()).toBe("Message");
      await page.keyboard.type("List the files");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("in your workspace");
      await page.keyboard.press("Enter");

      await page.locator(".tool.done").first().waitFor();
      await page.getByRole("article", { name: "Assistant" }).last().locator(".time").waitFor();
      expect(await page.getByRole("article", { name: "You" }).last().innerText()).toContain("List the files\nin your workspace");
      await page.getByRole("status").filter({ hasText: "Assistant:" }).waitFor({ state: "attached" });
      expect(await findViolations(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      expect(complaints).toEqual([]);
      await close();
    });

    test("a reload at any moment shows one question and one complete answer", async () => {
      const { page, complaints, close } = await openPage(browser, { width });
      await page.goto(addressOf(`reload-${width}`));
      const input = page.getByRole("textbox", { name: "Message" });
      await input.fill(`List the files again at ${width}`);
      await input.press("Enter");
      await page.reload();
      const question = page.getByRole("article", { name: "You" }).filter({ hasText: `again at ${width}` });
      await question.waitFor();
      await page.locator(".tool.done").last().waitFor();
      await page.getByRole("article", { name: "Assistant" }).last().locator(".time").waitFor();
      expect(await question.count()).toBe(1);
      expect(complaints).toEqual([]);
      await close();
    });
  });
});
