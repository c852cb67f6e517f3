import { stat } from "node:fs/promises";
import type { BrowserContext, Download, Page } from "playwright-core";
import type { BrowserDownload } from "../browser-job.ts";
import { BrowserError } from "./browser-error.ts";
import { Tab } from "./tab.ts";

/** How long a call waits for a file. */
const DOWNLOAD_MS = 20_000;
/** Files that one session has not taken yet: a page can send any number without being asked. */
const MAX_DOWNLOADS = 10;

/** The tabs of one session. Those of others do not exist for it. */
export class SessionTabs {
  readonly #context: BrowserContext;
  readonly #maxTabs: number;
  readonly #tabs = new Map<string, Tab>();
  #current: string | undefined;
  #nextTab = 1;
  #notes: string[] = [];
  #downloads: BrowserDownload[] = [];
  readonly #loading = new Map<Promise<void>, Download>();
  readonly #opening = new Set<Promise<Tab>>();

  constructor(context: BrowserContext, maxTabs: number) {
    this.#context = context;
    this.#maxTabs = maxTabs;
  }

  list(): readonly Tab[] {
    return [...this.#tabs.values()];
  }

  isCurrent(tab: Tab): boolean {
    return tab.id === this.#current;
  }

  /** A tab by its id, or the current one. */
  get(id: string | undefined): Tab {
    const tab = this.#tabs.get(id ?? this.#current ?? "");
    if (tab !== undefined) return tab;
    throw new BrowserError(
      id === undefined ? "There is no tab; use the action open." : `There is no tab ${id}; the action tabs lists them.`,
    );
  }

  /** The tab whose newest snapshot a ref belongs to; otherwise the current one, which then says what is wrong. */
  withSnapshot(id: number | undefined, tab: string | undefined): Tab {
    return this.list().find(({ snapshot }) => snapshot !== undefined && snapshot.id === id) ?? this.get(tab);
  }

  focus(tab: Tab): void {
    this.#current = tab.id;
  }

  async open(): Promise<Tab> {
    if (this.#tabs.size >= this.#maxTabs) throw new BrowserError(`${this.#maxTabs} tabs are open; close one first.`);
    const opening = this.#context.newPage().then((page) => this.#add(page));
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Resolves once every tab that the session opens at this moment is one of its tabs. Never rejects. */
  async opened(): Promise<void> {
    await Promise.allSettled(this.#opening);
  }

  /** Takes a page that one of the tabs has opened. */
  async adopt(page: Page): Promise<void> {
    if (this.#tabs.size < this.#maxTabs) {
      this.#note(`The page opened the tab ${this.#add(page).id}, which is the current one now.`);
      return;
    }
    this.#note(`The page opened a window, which was closed: ${this.#maxTabs} tabs are open.`);
    await page.close();
  }

  has(page: Page): boolean {
    return this.list().some((tab) => tab.page === page);
  }

  async close(tab: Tab): Promise<void> {
    await tab.page.close({ runBeforeUnload: false });
  }

  /** What happened since the last call, apart from what was asked for. */
  takeNotes(): readonly string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  /** Files that have arrived since the last call. */
  takeDownloads(): readonly BrowserDownload[] {
    const downloads = this.#downloads;
    this.#downloads = [];
    return downloads;
  }

  /** Waits for files that are on their way. Those that take longer come with a later answer. */
  async downloaded(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, DOWNLOAD_MS);
    await Promise.race([Promise.all(this.#loading.keys()), late.promise]);
    clearTimeout(timer);
    for (const download of this.#loading.values())
      this.#note(`The file ${download.suggestedFilename()} is still on its way; a later call brings it.`);
  }

  #add(page: Page): Tab {
    const tab = new Tab(`t${this.#nextTab}`, page, { onDownload: (download) => this.#follow(download) });
    this.#nextTab += 1;
    this.#tabs.set(tab.id, tab);
    this.#current = tab.id;
    page.once("close", () => {
      this.#tabs.delete(tab.id);
      if (this.#current === tab.id) this.#current = [...this.#tabs.keys()].at(-1);
    });
    return tab;
  }

  #follow(download: Download): void {
    const name = download.suggestedFilename();
    if (this.#loading.size + this.#downloads.length >= MAX_DOWNLOADS) {
      this.#note(`The page has sent the file ${name}, which was refused: ${MAX_DOWNLOADS} are waiting.`);
      return void download.cancel().catch(() => undefined);
    }
    const work = this.#keep(download, name).catch((error: unknown) => {
      this.#note(`The download ${name} failed: ${error instanceof Error ? error.message : "unknown reason"}`);
    });
    this.#loading.set(work, download);
    void work.finally(() => this.#loading.delete(work));
  }

  async #keep(download: Download, name: string): Promise<void> {
    const failure = await download.failure();
    if (failure !== null) return this.#note(`The download ${name} failed: ${failure}`);
    const file = await download.path();
    this.#downloads.push({ file, name, sizeBytes: (await stat(file)).size });
  }

  #note(text: string): void {
    if (this.#notes.length < 20) this.#notes.push(text);
  }
}
