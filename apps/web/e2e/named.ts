import type { Locator, Page } from "playwright-core";

/** The button of this name. */
export function button(page: Page, name: string | RegExp): Locator {
  return page.getByRole("button", { name, exact: true });
}

/** The region of this name, such as a card. */
export function region(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}
