import type { Page } from "playwright-core";

/** What has to be scrolled sideways without a shadow at its edge that says so. */
export function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("#content *")]
      .filter((element) => {
        const { overflowX, backgroundAttachment } = getComputedStyle(element);
        return overflowX === "auto" && element.scrollWidth > element.clientWidth && !backgroundAttachment.includes("local");
      })
      .map((element) => element.getAttribute("aria-label") ?? element.className),
  );
}
