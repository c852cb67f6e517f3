import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, CommandRunner, Logger, Random, RunFacts } from "@factotum/agent-contract";
import type { BrowserAnswer, BrowserRequest, BrowserStart } from "./browser-job.ts";
import { DEFAULT_PROFILE, type BrowserSettings } from "./browser-settings.ts";
import { findChromium } from "./find-chromium.ts";
import { RunningBrowser, type NoAnswer } from "./running-browser.ts";

/** What browsers are started with. */
export interface BrowserKeeperOptions {
  /** Runs each browser as one command of the host. */
  readonly runner: CommandRunner;
  readonly clock: Clock;
  readonly random: Pick<Random, "uuid">;
  readonly logger: Logger;
  /** For profiles and temporary files; absolute, created on demand, used by this process alone. */
  readonly folder: string;
  /** The folders in which a browser is looked for. */
  readonly searchPath: string;
  /** Path of the program; defaults to the file in this folder, which a bundle must override. */
  readonly program?: string;
  /** The library's file; defaults to the installed one, which a bundle must override. */
  readonly library?: string;
  /** A browser without calls is stopped after this time. Default 10 minutes. */
  readonly idleMs?: number;
  readonly maxResultChars?: number;
}

/** Whose browser a call uses. */
export interface BrowserPlace {
  readonly run: RunFacts;
  readonly profile: string;
}

type Ask = Omit<BrowserRequest, "id" | "session">;

interface Kept {
  readonly browser: RunningBrowser;
  readonly exchangeFolder: string;
  /** The settings that it was started with. */
  readonly settings: string;
  usedMs: number;
  idle: Disposable | undefined;
}

const MAX_RUNNING = 3;
const IDLE_MS = 10 * 60_000;
/** Paths of sockets are at most about 107 bytes long; the browser makes one in its folder for temporary files. */
const MAX_SOCKET_FOLDER = 60;
const INSTALL =
  "Tell the owner: install Chromium (Debian and Ubuntu: apt install chromium), or set tools.browser.executable to the path of a Chromium, Chrome, Edge or Brave.";

/** The browsers of this gateway: each agent has one per profile, and every session of other people has its own. They start with their first call. */
export class BrowserKeeper {
  readonly #options: BrowserKeeperOptions;
  readonly #kept = new Map<string, Promise<Kept | NoAnswer>>();
  readonly #ends = new Set<Promise<void>>();
  #isClosed = false;
  #cleaned: Promise<void> | undefined;

  constructor(options: BrowserKeeperOptions) {
    this.#options = options;
  }

  /** Asks the browser of a place, and starts it first if necessary. Never rejects for what a browser does. */
  async ask(place: BrowserPlace, request: Ask, settings: BrowserSettings): Promise<BrowserAnswer | NoAnswer> {
    const kept = await this.#keptFor(place, settings);
    if ("type" in kept) return kept;
    this.#use(kept);
    const answer = await kept.browser.ask({ ...request, session: place.run.sessionKey });
    this.#use(kept);
    return answer;
  }

  /** Like `ask`, but starts nothing: `undefined` without a running browser. */
  async askRunning(place: BrowserPlace, request: Ask): Promise<BrowserAnswer | NoAnswer | undefined> {
    const kept = await this.#kept.get(keyOf(place));
    if (kept === undefined || "type" in kept || kept.browser.isOver) return undefined;
    return kept.browser.ask({ ...request, session: place.run.sessionKey });
  }

  isRunning(place: BrowserPlace): boolean {
    return this.#kept.has(keyOf(place));
  }

  /** Where files for a running browser lie; `undefined` without one. */
  async exchangeFolder(place: BrowserPlace): Promise<string | undefined> {
    const kept = await this.#kept.get(keyOf(place));
    return kept === undefined || "type" in kept ? undefined : kept.exchangeFolder;
  }

  async stop(place: BrowserPlace): Promise<boolean> {
    const kept = await this.#kept.get(keyOf(place));
    if (kept === undefined || "type" in kept) return false;
    kept.browser.stop("it was stopped");
    await kept.browser.ended;
    return true;
  }

  /** Ends all browsers. From then on none starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const kept of await Promise.all(this.#kept.values())) if (!("type" in kept)) kept.browser.stop("the gateway stops");
    await Promise.all(this.#ends);
  }

  async #keptFor(place: BrowserPlace, settings: BrowserSettings): Promise<Kept | NoAnswer> {
    const key = keyOf(place);
    const written = JSON.stringify(settings);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      const kept = await known;
      if (!("type" in kept) && !kept.browser.isOver && kept.settings === written) return kept;
      if (!("type" in kept)) {
        kept.browser.stop("its settings have changed");
        await kept.browser.ended;
      }
      // Another call may have been faster.
      if (this.#kept.get(key) !== known && this.#kept.has(key)) return this.#keptFor(place, settings);
    }
    const starting = this.#start(place, settings, written);
    this.#kept.set(key, starting);
    const started = await starting;
    if ("type" in started && this.#kept.get(key) === starting) this.#kept.delete(key);
    return started;
  }

  async #start(place: BrowserPlace, settings: BrowserSettings, written: string): Promise<Kept | NoAnswer> {
    const { clock, random, logger, runner, folder, searchPath, maxResultChars = 16_000, library, program } = this.#options;
    if (this.#isClosed) return { type: "none", message: "The gateway is stopping." };
    if (library !== undefined && !existsSync(library))
      return {
        type: "none",
        message: "This gateway was built without the browser. Tell the owner: build it again with factotum build --browser.",
      };
    const executable = await findChromium(settings.executable, searchPath);
    if (executable === undefined)
      return {
        type: "none",
        message:
          settings.executable === undefined
            ? `Chromium is not installed on this machine. ${INSTALL}`
            : `There is no program at tools.browser.executable (${settings.executable}). ${INSTALL}`,
      };
    if (!(await this.#makeRoom(keyOf(place))))
      return { type: "none", message: `${MAX_RUNNING} browsers are busy. Try again when one of them has finished.` };
    await (this.#cleaned ??= rm(join(folder, "run"), { recursive: true, force: true }));
    const ownFolder = join(folder, "run", random.uuid().slice(0, 8));
    const exchangeFolder = join(ownFolder, "files");
    const { owner, agentId } = place.run;
    const profileFolder = owner ? join(folder, agentId, place.profile) : join(ownFolder, "profile");
    for (const one of [exchangeFolder, profileFolder]) await mkdir(one, { recursive: true, mode: 0o700 });
    // What a killed browser has left would stop the next one.
    for (const name of ["SingletonLock", "SingletonSocket", "SingletonCookie"]) await rm(join(profileFolder, name), { force: true });
    const start: BrowserStart = {
      mark: `${random.uuid()} `,
      library: library ?? fileURLToPath(import.meta.resolve("playwright-core")),
      executable,
      headless: settings.headless,
      // The kernel gives no confinement to a browser of root.
      confined: process.getuid?.() !== 0,
      profileFolder,
      exchangeFolder,
      ...withoutUndefined({ allow: settings.allow }),
      allowPrivate: owner ? settings.allowPrivate : [],
      maxTabs: settings.maxTabs,
      maxResultChars,
    };
    const file = program ?? fileURLToPath(new URL("program/browser-program.ts", import.meta.url));
    const command = await runner.start(
      {
        // Shell text, because the runner marks what it starts with a shell: the browser's processes leave their group.
        command: { type: "shell", text: `exec ${[process.execPath, "--max-old-space-size=512", file].map(quote).join(" ")}` },
        cwd: ownFolder,
        env: { HOME: profileFolder, ...(ownFolder.length <= MAX_SOCKET_FOLDER ? { TMPDIR: ownFolder } : {}) },
        input: { type: "pipe" },
        timeoutMs: 0,
        maxOutputBytes: 0,
      },
      { run: place.run, signal: new AbortController().signal, onOutput: () => undefined },
    );
    const key = keyOf(place);
    const browser = new RunningBrowser(command, start, {
      clock,
      onRefused: (request) => logger.info("The browser was refused a host", { ...request, agentId }),
      onEnd: async () => {
        const kept = await this.#kept.get(key);
        if (kept !== undefined && !("type" in kept) && kept.browser === browser) this.#kept.delete(key);
        await removeFolder(ownFolder, logger);
      },
    });
    this.#ends.add(browser.ended);
    void browser.ended.finally(() => this.#ends.delete(browser.ended));
    const problem = await browser.ready();
    if (problem !== undefined) return problem;
    return { browser, exchangeFolder, settings: written, usedMs: clock.monotonic(), idle: undefined };
  }

  /** Stops the browser that was not used for the longest time, if there are too many. False if all are busy. */
  async #makeRoom(forKey: string): Promise<boolean> {
    const others = [...this.#kept].flatMap(([key, kept]) => (key === forKey ? [] : [kept]));
    const all = (await Promise.all(others)).flatMap((kept) => ("type" in kept || kept.browser.isOver ? [] : [kept]));
    if (all.length < MAX_RUNNING) return true;
    const [oldest] = all.filter(({ browser }) => !browser.isBusy).toSorted((one, other) => one.usedMs - other.usedMs);
    if (oldest === undefined) return false;
    oldest.browser.stop("another one was needed");
    await oldest.browser.ended;
    return true;
  }

  #use(kept: Kept): void {
    const { clock, idleMs = IDLE_MS } = this.#options;
    kept.usedMs = clock.monotonic();
    kept.idle?.[Symbol.dispose]();
    kept.idle = clock.schedule(idleMs, () => (kept.browser.isBusy ? this.#use(kept) : kept.browser.stop("it was not used for a while")));
  }
}

/** The profiles that a call can name. */
export function profilesOf({ profiles }: BrowserSettings): readonly string[] {
  return [...new Set([DEFAULT_PROFILE, ...profiles])];
}

function keyOf({ run, profile }: BrowserPlace): string {
  return run.owner ? `${run.agentId}/${profile}` : `guest ${run.sessionKey}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

async function removeFolder(folder: string, logger: Logger): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (existsSync(folder)) logger.warn("Temporary files of a browser could not be removed; the next start removes them", { error });
  }
}
