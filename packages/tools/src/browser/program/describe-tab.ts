import type { Dialog } from "playwright-core";
import type { SessionTabs } from "./session-tabs.ts";
import type { Tab } from "./tab.ts";

const MAX_DIALOG_CHARS = 500;
const MAX_URL_CHARS = 2_000;

/** What a dialog says, on one line. */
export function describeDialog(dialog: Dialog): string {
  return `The page shows a dialog (${dialog.type()}): ${JSON.stringify(dialog.message().slice(0, MAX_DIALOG_CHARS))}.`;
}

/** The tabs of a session, one line each. */
export function listTabs(tabs: SessionTabs): string {
  const lines = tabs.list().map((tab) => `${tabs.isCurrent(tab) ? "*" : "-"} ${tab.id}: ${addressOf(tab)}`);
  return lines.length === 0 ? "No tab is open." : lines.join("\n");
}

/** The address of a tab, cut: that of a `data:` page is as long as the page. */
export function addressOf({ page }: Tab): string {
  return page.url().slice(0, MAX_URL_CHARS);
}

/** Where a tab is. */
export function describeTab(tab: Tab): string {
  return `Tab: ${tab.id}\nURL: ${addressOf(tab)}`;
}

/** The same with the title, if the page has one. */
export async function headOf(tab: Tab): Promise<string> {
  const title = await titleOf(tab);
  return title === "" ? describeTab(tab) : `Title: ${title}\n${describeTab(tab)}`;
}

/** A page that is busy, or that has just been left, has no title in time. */
async function titleOf(tab: Tab): Promise<string> {
  const late = new Promise<string>((resolve) => setTimeout(resolve, 3_000, "").unref());
  const title = tab.page.title().catch(() => "");
  return (await Promise.race([title, late])).slice(0, 300).toWellFormed();
}

/** The state of a tab after something was done to it. */
export async function settled(tab: Tab): Promise<string> {
  const { dialog } = tab;
  if (dialog !== undefined) return `${describeTab(tab)}\n${describeDialog(dialog)} Answer it with the action dialog.`;
  if (tab.page.isClosed()) return `The tab ${tab.id} was closed.`;
  return headOf(tab);
}
