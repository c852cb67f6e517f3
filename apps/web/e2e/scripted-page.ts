import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { openBrowser, openPage, type WatchedPage } from "./open-browser.ts";
import { type GatewayUnderTest, type ScriptedGatewayUnderTest, startScriptedGateway } from "./start-gateway.ts";

/** Viewport and theme of a page. */
export interface Look {
  readonly width: number;
  readonly dark?: boolean;
  /** The browser's language; British English by default. */
  readonly locale?: string;
}

/** A phone and a desktop, light and dark. */
const ALL_LOOKS: readonly Required<Omit<Look, "locale">>[] = [
  { width: 360, dark: true },
  { width: 1280, dark: false },
  { width: 360, dark: false },
  { width: 1280, dark: true },
];

/** Each width and each colour scheme once; `pnpm test:slow` has all four pairs. */
export const LOOKS: readonly Required<Omit<Look, "locale">>[] =
  process.env["FACTOTUM_SLOW"] === undefined ? ALL_LOOKS.slice(0, 2) : ALL_LOOKS;

/** Fixtures of each test: a gateway and pages. */
export interface ScriptedPage {
  readonly gateway: ScriptedGatewayUnderTest;
  /** Opens a page of the test, empty. */
  open(look: Look): Promise<Page>;
  /** Opens a page of the test on the chat, connected. */
  openChat(look: Look, gateway?: GatewayUnderTest): Promise<Page>;
}

/** One browser per file, one scripted gateway per test. A test fails on any error that its pages report. */
export function useScriptedPage(): ScriptedPage {
  let browser: Browser;
  let gateway: ScriptedGatewayUnderTest;
  let watched: WatchedPage[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    gateway = await startScriptedGateway();
  });
  afterEach(async () => {
    const pages = watched;
    watched = [];
    for (const page of pages) await page.close();
    await gateway.close();
    expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  const open = async (look: Look): Promise<Page> => {
    const opened = await openPage(browser, look);
    watched.push(opened);
    return opened.page;
  };
  return {
    get gateway() {
      return gateway;
    },
    open,
    openChat: async (look, { url, token } = gateway) => {
      const page = await open(look);
      await page.goto(`${url}#token=${token}`);
      await page.getByText("Connected", { exact: true }).waitFor();
      return page;
    },
  };
}
