import type { Page } from "playwright-core";
import type { ActKind, BrowserCall } from "../browser-schema.ts";
import { BrowserError, firstLine } from "./browser-error.ts";
import type { Tab } from "./tab.ts";
import { within } from "./within.ts";

const MAX_VALUE_CHARS = 10_000;
/** How long a navigation that follows from an action may take to begin and to show its document. */
const SETTLE_MS = 500;

type Act = (tab: Tab, call: BrowserCall, timeoutMs: number) => Promise<string>;

/** What is done to a page, one entry each. The text says what was done. */
const ACTS: Readonly<Record<ActKind, Act>> = {
  click: async (tab, { ref = "", double = false }, timeout) => {
    const element = await tab.find(ref);
    await (double ? element.dblclick({ timeout }) : element.click({ timeout }));
    return `Clicked ${ref}.`;
  },
  type: async (tab, { ref = "", text = "", submit = false }, timeout) => {
    const element = await tab.find(ref);
    await element.fill(text, { timeout });
    if (submit) await element.press("Enter", { timeout });
    return `Typed into ${ref}.`;
  },
  press: async (tab, { ref, key = "" }, timeout) => {
    if (ref === undefined) await tab.page.keyboard.press(key);
    else await (await tab.find(ref)).press(key, { timeout });
    return `Pressed ${key}.`;
  },
  hover: async (tab, { ref = "" }, timeout) => {
    await (await tab.find(ref)).hover({ timeout });
    return `The pointer is over ${ref}.`;
  },
  select: async (tab, { ref = "", values = [] }, timeout) => {
    const chosen = await (await tab.find(ref)).selectOption([...values], { timeout });
    return `Selected ${chosen.length} of ${ref}.`;
  },
  fill: async (tab, { fields = [] }, timeout) => {
    for (const { ref, text } of fields) await (await tab.find(ref)).fill(text, { timeout });
    return `Filled ${fields.length} fields.`;
  },
  drag: async (tab, { ref = "", toRef = "" }, timeout) => {
    await (await tab.find(ref)).dragTo(await tab.find(toRef), { timeout });
    return `Dragged ${ref} to ${toRef}.`;
  },
  wait: async ({ page }, { text, timeMs }, timeout) => {
    if (text === undefined) {
      await page.waitForTimeout(timeMs ?? 1_000);
      return "Waited.";
    }
    await page
      .getByText(text)
      .first()
      .waitFor({ state: "visible", timeout: timeMs ?? timeout });
    return "The page has the text.";
  },
  evaluate: async ({ page }, { script = "" }, timeout) => {
    const value: unknown = await within(page.evaluate(script), timeout, "The script did not end in time.");
    return `Result: ${(JSON.stringify(value) ?? "undefined").slice(0, MAX_VALUE_CHARS).toWellFormed()}`;
  },
};

/** Does one thing to the page of a tab, and waits shortly for a navigation that follows from it. */
export async function act(tab: Tab, call: BrowserCall, timeoutMs: number): Promise<string> {
  let done = "";
  const work = ACTS[call.kind ?? "wait"](tab, call, timeoutMs).then((text) => {
    done = text;
  });
  try {
    const dialog = await tab.perform(work);
    if (dialog !== undefined) return "Done, as far as the page has let it.";
    await tab.perform(settle(tab.page));
    return done;
  } catch (error) {
    if (error instanceof BrowserError) throw error;
    if (tab.page.isClosed()) return "The page has closed itself.";
    throw new BrowserError(`${call.kind} did not work: ${firstLine(error)}. Look at a new snapshot.`, { cause: error });
  }
}

/** Gives a page time to begin what follows from an action, and to show it. Never rejects for a page that loads without end. */
export async function settle(page: Page): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  // A page that loads without end is as good as it gets.
  await page.waitForLoadState("domcontentloaded", { timeout: 5_000 }).catch(() => undefined);
}
