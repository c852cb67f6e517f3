import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Response } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, openPage } from "./open-browser.ts";
import { type GatewayUnderTest, startBuiltGateway } from "./start-gateway.ts";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
/** Smaller files are not compressed, in bytes; see `precompress.config.ts`. */
const MIN_COMPRESSED_BYTES = 512;
/** Maximum JavaScript to show a conversation, in bytes as sent. */
const MAX_SCRIPT_BYTES = 190_000;
/** Maximum JavaScript that another page adds, in bytes as sent. */
const MAX_PAGE_BYTES = 40_000;
/** Maximum JavaScript of the editor of texts, in bytes as sent. */
const MAX_EDITOR_BYTES = 120_000;

let browser: Browser;
let gateway: GatewayUnderTest;
beforeAll(async () => {
  browser = await openBrowser();
  gateway = await startBuiltGateway();
});
afterAll(async () => {
  await gateway.close();
  await browser.close();
});

test("the chat loads at most 190 kB of JavaScript over the wire, compressed", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await page.goto(`${gateway.url}#token=${gateway.token}`);
  await page.getByText("Connected").waitFor();
  const scripts = responses.filter((response) => response.url().endsWith(".js"));
  expect(scripts.length).toBeGreaterThan(0);
  let bytes = 0;
  for (const response of scripts) {
    const isCompressed = (await response.body()).length >= MIN_COMPRESSED_BYTES;
    expect(await response.headerValue("content-encoding")).toEqual(isCompressed ? expect.stringMatching(/^(?:br|gzip)$/) : null);
    expect(await response.headerValue("cache-control")).toContain("immutable");
    // The transferred size, not the unpacked one.
    bytes += (await response.request().sizes()).responseBodySize;
  }
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  expect(complaints).toEqual([]);
  await close();
});

test.each([
  ["overview", "Running now"],
  ["channels", "Add a channel"],
  ["inbox", "Nothing waits for you."],
  ["memory", "The assistant has noted nothing yet."],
  ["memory?tab=forget", "What is to be forgotten?"],
  ["automations", "A job does something at a time that you choose"],
  ["automations/new", "Next times"],
  ["automations?tab=heartbeat", "It is off. Nothing runs, and nothing is charged."],
  ["automations?tab=webhooks", "They are off: no request of another system is taken."],
  ["usage", "No model was asked in this period."],
  ["agent/main/knowledge", "Drop files here"],
  ["agents", "Who answers what"],
  ["logs", "New lines appear at the top."],
  ["settings/configuration", "Search all settings"],
  ["context/agent:main:main", "No request to a model is kept yet."],
])("the page %s loads at most 40 kB of JavaScript more than the chat", async (route, words) => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await page.goto(`${gateway.url}#token=${gateway.token}`);
  await page.getByText("Connected").waitFor();
  let bytes = 0;
  const sizes: Promise<void>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().endsWith(".js")) sizes.push(request.sizes().then(({ responseBodySize }) => void (bytes += responseBodySize)));
  });
  await page.goto(`${gateway.url}#/${route}`);
  await page.getByText(words).waitFor();
  await Promise.all(sizes);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(MAX_PAGE_BYTES);
  expect(complaints).toEqual([]);
  await close();
});

test("the editor of texts loads at most 120 kB of JavaScript", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280 });
  await page.goto(`${gateway.url}#token=${gateway.token}`);
  await page.getByText("Connected").waitFor();
  const loaded = page.waitForEvent("requestfinished", (request) => /open-editor.*\.js$/.test(request.url()));
  await page.goto(`${gateway.url}#/agent/main`);
  const { responseBodySize } = await (await loaded).sizes();
  expect(responseBodySize).toBeGreaterThan(10_000);
  expect(responseBodySize).toBeLessThanOrEqual(MAX_EDITOR_BYTES);
  await page.locator(".cm-content").waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test.each(["br", "gzip"])(
  "the page and its files are sent as %s with a strong ETag, and not again to clients that have them",
  async (encoding) => {
    const html = await readFile(join(DIST, "index.html"), "utf8");
    const assets = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name = ""]) => name);
    expect(assets.length).toBeGreaterThan(1);
    for (const name of ["", ...assets]) {
      const address = `${gateway.url}${name}`;
      const headers = { "accept-encoding": encoding };
      const response = await fetch(address, { headers });
      const content = await readFile(join(DIST, name === "" ? "index.html" : name), "utf8");
      const isCompressed = Buffer.byteLength(content) >= MIN_COMPRESSED_BYTES;
      expect(response.headers.get("content-encoding")).toBe(isCompressed ? encoding : null);
      if (isCompressed) expect(response.headers.get("vary")?.toLowerCase()).toContain("accept-encoding");
      const etag = response.headers.get("etag") ?? "";
      expect(etag).toMatch(/^"/);
      expect(await response.text()).toBe(content);
      const again = await fetch(address, { headers: { ...headers, "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe("");
    }
  },
);

test("the page has no inline code or style and refers to no other host", async () => {
  const html = (await readFile(join(DIST, "index.html"), "utf8")).toLowerCase();
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  const entries = await readdir(DIST, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter(({ name }) => /\.(?:html|css)$/.test(name))) {
    expect(await readFile(join(entry.parentPath, entry.name), "utf8")).not.toMatch(/https?:|\/\/[a-z]|@import|data:/i);
  }
});
