import { existsSync, readFileSync } from "node:fs";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"];

/** A page in a fresh profile, with a debugger session. */
export interface BenchPage {
  readonly page: Page;
  readonly debuggerSession: CDPSession;
  close(): Promise<void>;
}

/** Starts the Chromium of the system, or of `FACTOTUM_CHROMIUM`. Rejects if neither exists. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env["FACTOTUM_CHROMIUM"] ?? PATHS.find((file) => existsSync(file));
  if (executablePath === undefined)
    throw new Error("There is no Chromium. Install the package chromium, or set FACTOTUM_CHROMIUM to its path.");
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** Opens a page of a size. */
export async function openPage(browser: Browser, viewport: { readonly width: number; readonly height: number }): Promise<BenchPage> {
  const context = await browser.newContext({ viewport, locale: "en-GB" });
  const page = await context.newPage();
  const debuggerSession = await context.newCDPSession(page);
  return { page, debuggerSession, close: () => context.close() };
}

/** Milliseconds of processor time that the main threads of a browser's pages have used, excluding other load on the machine. */
export async function readBusyMs(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { id }) => sum + readThreadMs(id), 0);
}

/** User and system time of the main thread of a process; 0 if it has ended. */
function readThreadMs(pid: number): number {
  const file = `/proc/${pid}/task/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const stat = readFileSync(file, "utf8");
  // After the name, which may contain anything: fields 14 and 15, in ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
