import type { Locator, Page } from "playwright-core";

/** A person with one finger: presses, chooses from lists and types, and every press is counted. */
export interface ClickCounter {
  press(target: Locator): Promise<void>;
  /** The list and the entry, which the browser draws itself, so that the page sees no click on either. */
  choose(list: Locator, entry: string): Promise<void>;
  /** A field that has no focus is pressed first. */
  type(field: Locator, text: string): Promise<void>;
  /** Opens a page by the rail; on phones by the menu of the other pages, if it has no place in the bar. */
  openPage(name: string): Promise<void>;
  /** Presses since the counter was made. */
  count(): Promise<number>;
}

/** Counts the pointer clicks of a page. A key that presses a button does not count. */
export async function countClicks(page: Page): Promise<ClickCounter> {
  let chosen = 0;
  await page.evaluate(() => {
    const counted = window as typeof window & { clicks?: number };
    counted.clicks = 0;
    const count = (event: MouseEvent): void => {
      if (event.isTrusted && event.detail > 0) counted.clicks = (counted.clicks ?? 0) + 1;
    };
    window.addEventListener("click", count, { capture: true });
  });
  const press = (target: Locator): Promise<void> => target.click();
  return {
    press,
    choose: async (list, entry) => {
      chosen += 2;
      await list.selectOption(entry);
    },
    type: async (field, text) => {
      await field.waitFor();
      const hasFocus = await field.evaluate((element) => element === document.activeElement);
      if (!hasFocus) await press(field);
      await page.keyboard.insertText(text);
    },
    openPage: async (name) => {
      const pages = page.getByRole("navigation", { name: "Pages" });
      const link = pages.getByRole("link", { name: new RegExp(`^${name}(?: \\(|$)`) });
      if ((await link.count()) === 0) await press(pages.getByRole("button", { name: "More" }));
      await press(link);
    },
    count: async () => {
      const seen = await page.evaluate(() => (window as typeof window & { clicks?: number }).clicks);
      // A load of another document would have lost it.
      if (seen === undefined) throw new Error("The page was loaded again while its clicks were counted.");
      return seen + chosen;
    },
  };
}
