import type { Page } from "playwright-core";

/** True if nothing on the page is wider than the window. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}
