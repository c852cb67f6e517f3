import { freePort, hasWebServer, startProduct, startWebServer, type WebServer } from "@factotum/testing-product";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser, openPage } from "./open-browser.ts";

// Not a name of this machine: without `publicUrl` the gateway refuses it.
const HOST = "assistant.localhost";

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});

afterAll(() => browser.close());

const CASES: readonly (readonly [server: WebServer, path: string, place: string | undefined])[] = [
  ["nginx", "", undefined],
  ["nginx", "/assistant", "location /assistant/"],
  ["caddy", "", undefined],
  ["caddy", "/assistant", "handle /assistant*"],
  ["caddy", "/assistant", "handle_path /assistant/*"],
];

describe.each(CASES)("behind %s at the path %j (%s)", (server, path, place) => {
  test.skipIf(!hasWebServer(server))("connects, sends a message and gets the answer", async () => {
    const port = await freePort();
    const publicUrl = `http://${HOST}:${port}${path}`;
    await using product = await startProduct({ config: { gateway: { publicUrl, trustedProxies: ["127.0.0.1"] } } });
    await using _proxy = await startWebServer(server, { target: product.url, port, host: HOST, ...(place === undefined ? {} : { place }) });
    const { page, complaints, close } = await openPage(browser, { width: 800 });
    const address = /(http:\/\/assistant\.localhost\S+)/.exec(product.output())?.[1] ?? "";
    expect(address).toBe(`${publicUrl}/#token=${product.token}`);
    await page.goto(address);
    await page.getByText("Connected").waitFor();
    expect(page.url().startsWith(`${publicUrl}/`)).toBe(true);
    const input = page.getByRole("textbox", { name: "Message" });
    await input.fill("List the files");
    await input.press("Enter");
    await page.getByRole("article", { name: "Assistant" }).last().locator(".time").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
