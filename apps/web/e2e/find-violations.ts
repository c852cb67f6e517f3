import axe from "axe-core";
import type { Page } from "playwright-core";

interface AxeWindow {
  readonly axe: {
    run(): Promise<{ violations: { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] }[] }>;
  };
}

/** What axe finds on the page as it stands, one line each. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  // Through the debugger, because the page's policy lets no script in.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as AxeWindow).axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} (${node.failureSummary})`));
}
