import { type Product, runCommand, startProduct } from "@factotum/testing-product";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findViolations } from "./find-violations.ts";
import { openBrowser, openPage } from "./open-browser.ts";

let browser: Browser;
let product: Product;

beforeAll(async () => {
  browser = await openBrowser();
  product = await startProduct();
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await browser.close();
});

/** A conversation that is opened by its address alone. */
const garden = (): string => `${product.url}/#/chat/agent:main:webchat:direct:garden`;

/** The files that the browser keeps of the page, below its address. */
const storedFiles = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const all = await Promise.all(
      names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)),
    );
    return all.flat();
  });

test("the manifest names the page and icons that exist, and the policy allows them and the worker", async () => {
  const response = await fetch(`${product.url}/manifest.webmanifest`);
  expect(response.headers.get("content-type")).toBe("application/manifest+json");
  const manifest = (await response.json()) as {
    readonly start_url: string;
    readonly display: string;
    readonly icons: { readonly src: string }[];
  };
  expect(manifest).toMatchObject({ start_url: "./", display: "standalone" });
  for (const { src } of manifest.icons) {
    const icon = await fetch(new URL(src, response.url));
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, expect.stringMatching(/^image\/(?:png|svg\+xml)$/)]);
  }
  const worker = await fetch(`${product.url}/sw.js`);
  expect(worker.headers.get("cache-control")).toBe("no-cache");
  expect(worker.headers.get("content-security-policy")).toContain("worker-src 'self'");
});

test("without the gateway the page opens, says so, keeps what is typed, and sends it once the gateway is back", async () => {
  const { page, close } = await openPage(browser, { width: 360, worker: true });
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.evaluate(async () => navigator.serviceWorker.ready);
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  // A page that was opened once is kept as well.
  await page.goto(`${product.url}/#/logs`);
  await page.getByText("New lines appear at the top.").waitFor();
  await page.goto(garden());
  await page.getByText("Loading the conversation…").waitFor({ state: "detached" });
  await product.end("SIGKILL");
  await page.getByText("Offline", { exact: true }).waitFor();
  // As an installed page begins: without an address.
  await page.goto("about:blank");
  await page.goto(product.url);
  await page.waitForURL(garden());
  await page.getByText("Offline", { exact: true }).waitFor();
  await page.getByText("The gateway cannot be reached.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Message" }).fill("Are you there?");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: "You" }).filter({ hasText: "Are you there?" }).waitFor();
  await page.goto(`${product.url}/#/logs`);
  await page.getByRole("heading", { name: "Logs", level: 1 }).waitFor();
  await page.goto(garden());
  product = await startProduct({ home: product.home, port: Number(new URL(product.url).port) });
  await page.getByRole("article", { name: "Assistant" }).locator(".time").waitFor({ timeout: 30_000 });
  const stored = await storedFiles(page);
  expect(stored).toContain("/");
  for (const name of stored) expect(name).toMatch(/^\/(?:$|assets\/|icon-|favicon|manifest)/);
  await close();
});

test("a page of another version takes the place of the stored one when the gateway is reached", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 1280, worker: true });
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await page.evaluate(async () => {
    const [name = ""] = await caches.keys();
    const cache = await caches.open(name);
    await cache.put("./", new Response("<p>An older page</p>", { headers: { "content-type": "text/html" } }));
    // Of a version of before, and of another page on the same host.
    await caches.open(`${name}-older`);
    await caches.open("factotum-shell http://127.0.0.1/elsewhere/ 1");
  });
  await page.reload();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
});

test("the settings say how the page is installed, and turn on notifications of answers in a hidden page", async () => {
  const { page, complaints, close } = await openPage(browser, { width: 360, dark: true });
  await page.addInitScript(() => {
    const shown: string[] = [];
    class Recorded extends EventTarget {
      static permission = "default";
      static requestPermission(): Promise<string> {
        Recorded.permission = "granted";
        return Promise.resolve("granted");
      }
      constructor(title: string, { body }: NotificationOptions) {
        super();
        shown.push(`${title}: ${body ?? ""}`);
      }
    }
    Object.assign(window, { Notification: Recorded, shown });
  });
  await page.goto(`${product.url}/#token=${product.token}`);
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.goto(`${product.url}/#/settings/notifications`);
  await page.getByText("Install the page with your browser’s menu").waitFor();
  const choice = page.getByRole("checkbox", { name: /^Notify me/ });
  expect(await choice.isChecked()).toBe(false);
  await choice.press("Space");
  await expect.poll(() => choice.isChecked()).toBe(true);
  expect(await findViolations(page)).toEqual([]);
  await page.evaluate(() => Object.defineProperty(document, "hidden", { configurable: true, get: () => true }));
  expect(await runCommand(["agent", "--session", "agent:main:main", "--message", "Hello"], product)).toMatchObject({ code: 0 });
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { readonly shown: readonly string[] }).shown))
    .toEqual(["Main: The answer is ready."]);
  expect(complaints).toEqual([]);
  await close();
});
