import axe from "axe-core";
import type { Page } from "playwright-core";

interface AxeWindow {
  readonly axe: {
    run(): Promise<{ violations: { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] }[] }>;
  };
}

/** The violations that axe finds on the current page, one per line. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // Injected by the debugger, because the page's policy blocks scripts.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as AxeWindow).axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} (${node.failureSummary})`));
}
