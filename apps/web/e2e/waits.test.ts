import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";

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

/** A provider that answers each request once `mayAnswer` resolves for its message. */
async function startProvider(mayAnswer: (said: string) => Promise<void>): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer((request, response) => {
    void readText(request).then(async (said) => {
      await mayAnswer(said);
      const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "m" };
      const choice = { index: 0, delta: { content: "Done." }, finish_reason: "stop" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each([360, 1280])("at %i px the page says why messages wait, live and after a reload, until they are processed", async (width) => {
  const asked = Promise.withResolvers<void>();
  const elsewhere = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  await using provider = await startProvider(async (said) => {
    asked.resolve();
    await (said.includes("from elsewhere") ? elsewhere.promise : first.promise);
  });
  const local = { api: "openai-chat", baseUrl: provider.baseUrl, models: [{ id: "m", contextWindow: 100_000, maxOutput: 1000 }] };
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "local/m", maxConcurrent: 1 } },
      models: { providers: { local } },
      messages: { queue: { mode: "followup" } },
    },
  });
  const command = runCommand(["agent", "--session", "agent:main:elsewhere", "--message", "from elsewhere"], product);
  await asked.promise;
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

  elsewhere.resolve();
  expect(await command).toMatchObject({ code: 0 });
  await note.waitFor({ state: "detached" });
  await say(page, "the second");
  await note.getByText("1 message waits for its turn. Earlier work in this conversation comes first.").waitFor();
  first.resolve();
  await note.waitFor({ state: "detached" });
  await page.getByRole("article", { name: "Assistant" }).nth(1).waitFor();
  expect(complaints).toEqual([]);
  await close();
});
