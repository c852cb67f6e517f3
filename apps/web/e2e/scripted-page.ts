import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { openBrowser, openPage, type WatchedPage } from "./open-browser.ts";
import { type GatewayUnderTest, type ScriptedGatewayUnderTest, startScriptedGateway } from "./start-gateway.ts";

/** How a page is looked at. */
export interface Look {
  readonly width: number;
  readonly dark?: boolean;
}

/** A phone and a desk, light and dark. */
export const LOOKS: readonly Required<Look>[] = [
  { width: 360, dark: false },
  { width: 1280, dark: false },
  { width: 360, dark: true },
  { width: 1280, dark: true },
];

/** What each test of a file has: a gateway of its own and one page. */
export interface ScriptedPage {
  readonly gateway: ScriptedGatewayUnderTest;
  /** Opens the page of the test, on nothing yet. */
  open(look: Look): Promise<Page>;
  /** Opens the page of the test on the chat, connected. */
  openChat(look: Look, gateway?: GatewayUnderTest): Promise<Page>;
}

/** One browser for the file, a scripted gateway for each test. A test fails for whatever its page complained of. */
export function useScriptedPage(): ScriptedPage {
  let browser: Browser;
  let gateway: ScriptedGatewayUnderTest;
  let watched: WatchedPage;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    gateway = await startScriptedGateway();
  });
  afterEach(async () => {
    const { complaints } = watched;
    await watched.close();
    await gateway.close();
    expect(complaints).toEqual([]);
  });
  const open = async (look: Look): Promise<Page> => {
    watched = await openPage(browser, look);
    return watched.page;
  };
  return {
    get gateway() {
      return gateway;
    },
    open,
    openChat: async (look, { url, token } = gateway) => {
      const page = await open(look);
      await page.goto(`${url}#token=${token}`);
      await page.getByText("Connected").waitFor();
      return page;
    },
  };
}
