/**
 * The program of a process that controls one browser: its library and the proxy that all traffic of the browser goes through. It gets requests as lines on its
 * standard input, and ends with it; so does the browser, whose only connection is a pipe of this process.
 */
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type * as Playwright from "playwright-core";
import type { BrowserContext, Page } from "playwright-core";
import { createHostList } from "../../forward-proxy/host-list.ts";
import { REFUSAL_HEADER, startForwardProxy, type RefusedRequest } from "../../forward-proxy/forward-proxy.ts";
import { parsePrivatePlaces } from "../../public-fetch/private-places.ts";
import type { BrowserAnswer, BrowserReply, BrowserRequest, BrowserStart } from "../browser-job.ts";
import { BrowserError, firstLine } from "./browser-error.ts";
import { addressOf } from "./describe-tab.ts";
import { ofRef, performCall, type CallResult } from "./perform-call.ts";
import { Refusals } from "./refusals.ts";
import { SessionTabs } from "./session-tabs.ts";

const PROXY_USER = "factotum";

/** Keeps the browser from talking by itself, and from every way past the proxy: names are resolved by the proxy alone, and WebRTC uses it or nothing. */
const SWITCHES = [
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-client-side-phishing-detection",
  "--disable-domain-reliability",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-dev-shm-usage",
  "--dns-prefetch-disable",
  "--no-pings",
  "--no-first-run",
];

async function run(): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) return;
  const start = JSON.parse(first.value) as BrowserStart;
  const tell = (reply: BrowserReply): void => void process.stdout.write(`${start.mark}${JSON.stringify(reply)}\n`);
  const refusals = new Refusals();
  const onRefused = (request: RefusedRequest): void => {
    refusals.add(request);
    tell({ type: "refused", ...request });
  };
  const token = randomBytes(24).toString("hex");
  const { allow } = start;
  await using proxy = await startForwardProxy({
    token,
    allowsPrivate: parsePrivatePlaces(start.allowPrivate),
    ...(allow === undefined ? {} : { allowsHost: createHostList(allow) }),
    onRefused,
  });
  let context: BrowserContext;
  try {
    context = await launch(start, { port: proxy.port, token });
  } catch (error) {
    tell({ type: "unusable", message: firstLine(error) });
    return;
  }
  const onClose = (): void => process.exit(0);
  context.once("close", onClose);
  const sessions = new Sessions(context, start);
  tell({ type: "ready" });
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    const request = JSON.parse(line.value) as BrowserRequest;
    void sessions.answer(request, refusals).then(tell);
  }
  // Until the browser has written what pages have stored, and has ended by itself.
  context.off("close", onClose);
  await context.close();
}

async function launch(start: BrowserStart, { port, token }: { readonly port: number; readonly token: string }): Promise<BrowserContext> {
  const { executable, headless, confined, profileFolder, exchangeFolder } = start;
  const library = (await import(pathToFileURL(start.library).href)) as typeof Playwright;
  return library.chromium.launchPersistentContext(profileFolder, {
    executablePath: executable,
    headless,
    chromiumSandbox: confined,
    args: SWITCHES,
    proxy: { server: `http://127.0.0.1:${port}`, bypass: "<-loopback>", username: PROXY_USER, password: token },
    downloadsPath: exchangeFolder,
    acceptDownloads: true,
    viewport: { width: 1_280, height: 800 },
    timeout: 30_000,
  });
}

/** The sessions that use the browser. */
class Sessions {
  readonly #context: BrowserContext;
  readonly #start: BrowserStart;
  readonly #tabs = new Map<string, SessionTabs>();
  #snapshots = 0;
  #files = 0;
  /** The session of the last call: pages without an opener are its own. */
  #last: SessionTabs | undefined;
  /** The refusals at the time of the last answer. */
  #answered = 0;

  constructor(context: BrowserContext, start: BrowserStart) {
    this.#context = context;
    this.#start = start;
    context.on("page", (page) => void this.#place(page));
  }

  async answer({ id, session, call }: BrowserRequest, refusals: Refusals): Promise<BrowserAnswer> {
    const tabs = this.#of(session);
    // What a page did after the last answer is told with this one.
    const begun = this.#last === tabs ? this.#answered : refusals.count;
    let [result, isError]: [CallResult, boolean] = [{ text: "" }, false];
    try {
      if (call.action === "describe") {
        const tab = ofRef({ ref: call.refs[0], tab: call.tab }, tabs);
        result = { text: JSON.stringify({ url: addressOf(tab), elements: call.refs.map((ref) => tab.describe(ref)) }) };
        return { type: "answer", id, isError, ...result, downloads: [] };
      }
      this.#last = tabs;
      result = await performCall(call, {
        ...this.#start,
        tabs,
        nextSnapshot: () => (this.#snapshots += 1),
        nextFile: () => `made-${(this.#files += 1)}`,
        refusals,
        refusalHeader: REFUSAL_HEADER,
      });
    } catch (error) {
      isError = true;
      result = { text: error instanceof BrowserError ? error.message : `${call.action} did not work: ${firstLine(error)}` };
    }
    const refused = refusals.since(begun)?.reason;
    this.#answered = refusals.count;
    const notes = [
      ...tabs.takeNotes(),
      ...(refused === undefined || result.text.includes(refused) ? [] : [`A request of the page was refused: ${refused}.`]),
    ];
    const text = [result.text, ...notes.map((note) => `[${note}]`)].join("\n");
    return { type: "answer", id, isError, ...result, text, downloads: tabs.takeDownloads() };
  }

  #of(session: string): SessionTabs {
    const known = this.#tabs.get(session);
    if (known !== undefined) return known;
    const created = new SessionTabs(this.#context, this.#start.maxTabs);
    this.#tabs.set(session, created);
    return created;
  }

  /** A new page belongs to the session whose page has opened it. */
  async #place(page: Page): Promise<void> {
    const opener = await page.opener();
    const all = [...this.#tabs.values()];
    // One that a session opens itself is reported before it is one of the tabs.
    await Promise.all(all.map(async (tabs) => tabs.opened()));
    if (page.isClosed() || all.some((tabs) => tabs.has(page))) return;
    const owner = all.find((tabs) => opener !== null && tabs.has(opener)) ?? this.#last;
    await (owner === undefined ? page.close() : owner.adopt(page)).catch(() => undefined);
  }
}

await run();
process.exit(0);
