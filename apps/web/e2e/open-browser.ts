import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

/** The first that exists: the one without windows takes half the CPU time. */
const PATHS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** No sandbox, because tests run as root in containers; the other flags prevent the browser's own requests. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  // A microphone that beeps, which every page may use.
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];

/** Starts the Chromium of the system, or of `FACTOTUM_CHROMIUM`. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = process.env["FACTOTUM_CHROMIUM"] ?? PATHS.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("There is no Chromium. Install the package chromium, or set FACTOTUM_CHROMIUM to its path.");
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/** A page that records forbidden events: requests to other hosts, errors, policy violations. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: string[];
  readonly close: () => Promise<void>;
}

/** What Playwright says in place of a service worker. */
const NO_WORKER = "Service Worker registration blocked by Playwright";

/** Opens a page with this viewport in a fresh profile. Only with `worker` the page may store itself in the browser: its requests are seen by no test then. */
export async function openPage(
  browser: Browser,
  options: {
    readonly width: number;
    readonly dark?: boolean;
    readonly firstRun?: boolean;
    readonly locale?: string;
    readonly worker?: boolean;
  },
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: options.width, height: 780 },
    colorScheme: options.dark === true ? "dark" : "light",
    reducedMotion: "reduce",
    locale: options.locale ?? "en-GB",
    timezoneId: "UTC",
    serviceWorkers: options.worker === true ? "allow" : "block",
  });
  // With the demo chosen, the first-run dialog does not open.
  if (options.firstRun !== true) await context.addInitScript(() => localStorage.setItem("factotum.firstRun", "demo"));
  const page = await context.newPage();
  const complaints: string[] = [];
  const check = (address: string): void => {
    const { protocol, hostname } = new URL(address);
    if (!["data:", "blob:"].includes(protocol) && hostname !== "127.0.0.1" && !hostname.endsWith(".localhost"))
      complaints.push(`left loopback: ${address}`);
  };
  page.on("request", (request) => check(request.url()));
  page.on("websocket", (socket) => check(socket.url()));
  page.on("pageerror", (error) => complaints.push(`threw: ${error.message}`));
  page.on("console", (message) => {
    const isExpected = ["WebSocket connection", NO_WORKER].some((words) => message.text().includes(words));
    if (["error", "warning"].includes(message.type()) && !isExpected) complaints.push(`console: ${message.text()}`);
  });
  return { page, complaints, close: () => context.close() };
}
