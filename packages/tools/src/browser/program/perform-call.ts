import { join } from "node:path";
import type { Response } from "playwright-core";
import type { BrowserCall } from "../browser-schema.ts";
import { act, settle } from "./act.ts";
import { BrowserError, firstLine } from "./browser-error.ts";
import { describeDialog, describeTab, headOf, listTabs, settled } from "./describe-tab.ts";
import { parseRef } from "./page-snapshot.ts";
import type { Refusals } from "./refusals.ts";
import type { SessionTabs } from "./session-tabs.ts";
import type { Tab } from "./tab.ts";
import { within } from "./within.ts";

/** What calls depend on besides the tabs of their session. */
export interface CallContext {
  readonly tabs: SessionTabs;
  readonly exchangeFolder: string;
  readonly maxResultChars: number;
  /** A number that no snapshot has had. */
  readonly nextSnapshot: () => number;
  /** A name that no file has had. */
  readonly nextFile: () => string;
  readonly refusals: Refusals;
  /** The name of the header with which the proxy answers itself. */
  readonly refusalHeader: string;
}

/** What a call has made. */
export interface CallResult {
  readonly text: string;
  /** In the exchange folder. */
  readonly file?: string;
}

const LOAD_MS = 20_000;
const STEP_MS = 10_000;
/** Large pages take their time. */
const SNAPSHOT_MS = 30_000;
const MAX_HEIGHT = 6_000;
const NOTE_CHARS = 400;

/** Makes one call. Rejects with a `BrowserError` whose message is for the model, or with an error of the library. */
export async function performCall(call: BrowserCall, context: CallContext): Promise<CallResult> {
  const { tabs } = context;
  switch (call.action) {
    case "tabs":
      return { text: listTabs(tabs) };
    case "open": {
      const tab = await tabs.open();
      return { text: call.url === undefined ? describeTab(tab) : await load(tab, call.url, context) };
    }
    case "focus": {
      const tab = tabs.get(call.tab);
      tabs.focus(tab);
      return { text: describeTab(tab) };
    }
    case "close": {
      const tab = tabs.get(call.tab);
      await tabs.close(tab);
      return { text: `Closed ${tab.id}.\n${listTabs(tabs)}` };
    }
    case "navigate": {
      const tab = tabs.list().length === 0 && call.tab === undefined ? await tabs.open() : tabs.get(call.tab);
      requireNoDialog(tab);
      return { text: await load(tab, call.url ?? "", context) };
    }
    case "snapshot":
      return { text: await snapshot(ready(tabs, call), call.offset ?? 0, context) };
    case "screenshot":
      return screenshot(call, context);
    case "act": {
      const tab = ofRef(call, tabs);
      requireNoDialog(tab);
      const done = await act(tab, call, STEP_MS);
      await tabs.downloaded();
      return { text: `${done}\n${await settled(tab)}` };
    }
    case "console": {
      const { console } = tabs.get(call.tab);
      return { text: console.length === 0 ? "The console is empty." : console.join("\n").slice(-context.maxResultChars) };
    }
    case "pdf": {
      const file = join(context.exchangeFolder, `${context.nextFile()}.pdf`);
      const tab = ready(tabs, call);
      await within(tab.page.pdf({ path: file }), LOAD_MS, "The page was not printed in time.");
      return { text: describeTab(tab), file };
    }
    case "dialog": {
      const tab = tabs.get(call.tab);
      await tab.answer(call.accept === true, call.text);
      await tab.perform(settle(tab.page));
      return { text: `${call.accept === true ? "Accepted" : "Dismissed"} the dialog.\n${await settled(tab)}` };
    }
    case "upload": {
      const tab = ofRef(call, tabs);
      requireNoDialog(tab);
      return { text: `${await upload(tab, call)}\n${await settled(tab)}` };
    }
    default:
      throw new BrowserError(`There is no action ${call.action} here.`);
  }
}

/** The tab of a ref's snapshot. */
export function ofRef({ ref, fields = [], tab }: Pick<BrowserCall, "ref" | "fields" | "tab">, tabs: SessionTabs): Tab {
  return tabs.withSnapshot(parseRef(ref ?? fields[0]?.ref ?? "")?.snapshot, tab);
}

function ready(tabs: SessionTabs, { tab: id }: BrowserCall): Tab {
  const tab = tabs.get(id);
  requireNoDialog(tab);
  return tab;
}

function requireNoDialog({ dialog }: Tab): void {
  if (dialog !== undefined) throw new BrowserError(`${describeDialog(dialog)} Answer it with the action dialog first.`);
}

/** Goes to an address. What loads without end can be read as far as it has come. */
async function load(tab: Tab, address: string, { refusals, refusalHeader, tabs }: CallContext): Promise<string> {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new BrowserError("Only http and https addresses can be opened.");
  if (url.username !== "" || url.password !== "") throw new BrowserError("An address with a user name or a password is not opened.");
  const begun = refusals.count;
  const refusal = (reason: string): BrowserError => {
    const isPrivate = refusals.findSince(begun, reason)?.isPrivate === true;
    const advice = isPrivate ? " The owner can open single private addresses in tools.browser.allowPrivate." : "";
    return new BrowserError(`The page was not opened: ${reason}.${advice}`);
  };
  // It is reported after the navigation has failed. Only a file waits for it.
  const arriving = tab.page.waitForEvent("download", { timeout: LOAD_MS + STEP_MS }).catch(() => undefined);
  try {
    const going = goTo(tab, url.href);
    // A dialog holds up the page until it is answered.
    if ((await tab.perform(going)) !== undefined) return settled(tab);
    const response = await going;
    const reason = await response?.headerValue(refusalHeader);
    if (typeof reason === "string") throw refusal(reason);
  } catch (error) {
    if (error instanceof BrowserError) throw error;
    const reason = firstLine(error);
    if (reason.includes("Download is starting")) {
      await arriving;
      await tabs.downloaded();
      return `The address is a file.\n${describeTab(tab)}`;
    }
    if (reason.includes("ERR_ABORTED")) return `The address has no page to show.\n${describeTab(tab)}`;
    if (/Timeout/.test(reason))
      return `${describeTab(tab)}\nThe page still loads after ${LOAD_MS / 1_000} s; what has arrived can be read.`;
    const refused = refusals.since(begun);
    if (refused !== undefined) throw refusal(refused.reason);
    throw new BrowserError(`The page was not opened: ${reason}`, { cause: error });
  }
  return settled(tab);
}

/** The page about an error that a refused address leaves behind loads late, and then interrupts what follows. */
async function goTo({ page }: Tab, address: string): Promise<Response | null> {
  const options = { waitUntil: "domcontentloaded", timeout: LOAD_MS } as const;
  try {
    return await page.goto(address, options);
  } catch (error) {
    if (!/interrupted by another navigation to "chrome-error:/.test(firstLine(error))) throw error;
    return page.goto(address, options);
  }
}

async function snapshot(tab: Tab, offset: number, { nextSnapshot, maxResultChars }: CallContext): Promise<string> {
  // The rest of a long one has the same refs.
  const taken = offset > 0 && tab.snapshot !== undefined ? tab.snapshot : await tab.takeSnapshot(nextSnapshot(), SNAPSHOT_MS);
  const { text } = taken;
  if (offset > 0 && offset >= text.length)
    throw new BrowserError(`The snapshot has ${text.length} characters; the offset is past its end.`);
  const head = await headOf(tab);
  const shown = text.slice(offset, offset + Math.max(200, maxResultChars - head.length - NOTE_CHARS)).toWellFormed();
  const end = offset + shown.length;
  const rest = end < text.length ? `\n[Characters ${offset}-${end} of ${text.length}. Go on with offset ${end}.]` : "";
  return `${head}\n\n${shown === "" ? "[The page is empty.]" : shown}${rest}`;
}

async function screenshot(call: BrowserCall, context: CallContext): Promise<CallResult> {
  const { tabs, exchangeFolder, nextFile } = context;
  const tab = call.ref === undefined ? ready(tabs, call) : ofRef(call, tabs);
  requireNoDialog(tab);
  const type = call.path?.toLowerCase().endsWith(".png") === true ? "png" : "jpeg";
  const file = join(exchangeFolder, `${nextFile()}.${type}`);
  const options = {
    path: file,
    type,
    timeout: STEP_MS,
    animations: "disabled",
    caret: "hide",
    ...(type === "jpeg" ? { quality: 75 } : {}),
  } as const;
  if (call.ref !== undefined) await (await tab.find(call.ref)).screenshot(options);
  else if (call.fullPage === true) {
    const measured = tab.page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      height: document.documentElement.scrollHeight,
    }));
    const size = await within(measured, STEP_MS, "The page is busy.");
    const clip = { x: 0, y: 0, width: Math.max(1, Math.min(size.width, 2_000)), height: Math.max(1, Math.min(size.height, MAX_HEIGHT)) };
    await tab.page.screenshot({ ...options, fullPage: true, clip });
  } else await tab.page.screenshot(options);
  return { text: await headOf(tab), file };
}

async function upload(tab: Tab, { ref = "", paths = [] }: BrowserCall): Promise<string> {
  const element = await tab.find(ref);
  const isInput = await element.evaluate((node) => node instanceof HTMLInputElement && node.type === "file", undefined, {
    timeout: STEP_MS,
  });
  if (isInput) {
    await element.setInputFiles([...paths], { timeout: STEP_MS });
  } else {
    const [chooser] = await Promise.all([
      tab.page.waitForEvent("filechooser", { timeout: STEP_MS }),
      element.click({ timeout: STEP_MS, noWaitAfter: true }),
    ]);
    await chooser.setFiles([...paths], { timeout: STEP_MS });
  }
  return `Gave ${paths.length === 1 ? "the file" : `${paths.length} files`} to the page.`;
}
