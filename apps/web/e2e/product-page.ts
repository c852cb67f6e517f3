import { type Product, type ProductOptions, startProduct } from "@factotum/testing-product";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { openBrowser, openPage, type WatchedPage } from "./open-browser.ts";
import type { Look } from "./scripted-page.ts";
import { startProvider, type TestProvider } from "./start-provider.ts";

/** Fixtures of a file: the built product, a provider of models, and pages. Pages are closed after each test, which fails on any error that they report. */
export interface ProductPage {
  readonly browser: Browser;
  readonly provider: TestProvider;
  readonly product: Product;
  /** Opens a page of the test, empty. */
  openEmpty(look: Look): Promise<Page>;
  /** Opens a page of the test at a route, such as `logs?level=warn`; on the chat by default. */
  open(look: Look, route?: string): Promise<Page>;
  /** Starts the product again after its end, which it kills for if it has to: at the same address, with what it has stored. */
  restart(): Promise<void>;
}

/** One browser, provider and product per file. `start` says how the product is started. */
export function useProductPage(start: (provider: TestProvider) => ProductOptions | Promise<ProductOptions>): ProductPage {
  let browser: Browser;
  let provider: TestProvider;
  let product: Product;
  let options: ProductOptions;
  let watched: WatchedPage[] = [];
  beforeAll(async () => {
    [browser, provider] = await Promise.all([openBrowser(), startProvider()]);
    options = await start(provider);
    product = await startProduct(options);
  }, 120_000);
  afterAll(async () => {
    await product[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    await browser.close();
  });
  afterEach(async () => {
    const pages = watched;
    watched = [];
    for (const page of pages) await page.close();
    expect(pages.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  const openEmpty = async (look: Look): Promise<Page> => {
    const opened = await openPage(browser, look);
    watched.push(opened);
    return opened.page;
  };
  return {
    get browser() {
      return browser;
    },
    get provider() {
      return provider;
    },
    get product() {
      return product;
    },
    openEmpty,
    open: async (look, route) => {
      const page = await openEmpty(look);
      await page.goto(`${product.url}/#token=${product.token}`);
      await page.waitForURL(/#\/chat\/agent/);
      if (route === undefined) await page.locator(".connection.connected").waitFor();
      else await page.goto(`${product.url}/#/${route}`);
      return page;
    },
    restart: async () => {
      const { home, url } = product;
      await product.end("SIGKILL");
      // The file is there, as tests have changed it.
      const { config: _written, ...others } = options;
      product = await startProduct({ ...others, home, port: Number(new URL(url).port) });
    },
  };
}
