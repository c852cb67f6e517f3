import type { Dialog, Download, Locator, Page } from "playwright-core";
import { BrowserError } from "./browser-error.ts";
import { lineOf, numberSnapshot, parseRef, type PageSnapshot } from "./page-snapshot.ts";
import { within } from "./within.ts";

/** Who is told of what a tab does by itself. */
export interface TabEvents {
  readonly onDownload: (download: Download) => void;
}

const MAX_CONSOLE_LINES = 100;
const MAX_CONSOLE_CHARS = 500;
const FIND_MS = 10_000;
const STALE = "Take a new snapshot, and use its refs.";

/** One page of a session, with what has to be remembered of it. */
export class Tab {
  readonly id: string;
  readonly page: Page;
  readonly console: string[] = [];
  /** Of the document that is shown now. */
  snapshot: PageSnapshot | undefined;
  #dialog: Dialog | undefined;
  #dialogOpened = Promise.withResolvers<Dialog>();

  constructor(id: string, page: Page, { onDownload }: TabEvents) {
    this.id = id;
    this.page = page;
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) this.snapshot = undefined;
    });
    page.on("dialog", (dialog) => this.#hold(dialog));
    page.on("download", onDownload);
    page.on("console", (message) => this.#note(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => this.#note(`thrown: ${error.message}`));
    page.on("crash", () => this.#note("the page has crashed"));
  }

  /** The dialog that the page shows; it does nothing else meanwhile. */
  get dialog(): Dialog | undefined {
    return this.#dialog;
  }

  /** Answers the dialog. */
  async answer(accept: boolean, text: string | undefined): Promise<void> {
    const dialog = this.#dialog;
    if (dialog === undefined) throw new BrowserError("The tab shows no dialog.");
    this.#dialog = undefined;
    this.#dialogOpened = Promise.withResolvers();
    await (accept ? dialog.accept(text) : dialog.dismiss());
  }

  /** Does something to the page: until it is done, or until the page shows a dialog, which would hold it up. */
  async perform(work: Promise<unknown>): Promise<Dialog | undefined> {
    // If a dialog is faster, the rest of the work is of no interest: it ends with the dialog, or with the page.
    const done = work.then(() => undefined);
    done.catch(() => undefined);
    return Promise.race([done, this.#dialogOpened.promise]);
  }

  async takeSnapshot(id: number, timeoutMs: number): Promise<PageSnapshot> {
    const url = this.page.url();
    const text = await this.page.ariaSnapshot({ mode: "ai", timeout: timeoutMs });
    this.snapshot = numberSnapshot(id, text, url);
    return this.snapshot;
  }

  /** The element of a ref. Rejects at once if its snapshot is not that of the shown document, or if it is gone. */
  async find(ref: string): Promise<Locator> {
    const { element } = this.#check(ref);
    const locator = this.page.locator(`aria-ref=${element}`);
    // The library rejects for refs of frames that are gone.
    const count = await within(
      locator.count().catch(() => 0),
      FIND_MS,
      "The page is busy.",
    );
    if (count === 0) throw new BrowserError(`The element ${ref} is no longer on the page. ${STALE}`);
    return locator;
  }

  /** What an element is, as the snapshot shows it. */
  describe(ref: string): string {
    const { snapshot, element, id } = this.#check(ref);
    const line = lineOf(snapshot, `s${id}${element}`);
    if (line === undefined) throw new BrowserError(`The snapshot has no element ${ref}. ${STALE}`);
    return line.slice(0, 300);
  }

  #check(ref: string): { readonly snapshot: PageSnapshot; readonly element: string; readonly id: number } {
    const parsed = parseRef(ref);
    if (parsed === undefined) throw new BrowserError(`${ref} is not a ref; one looks like s1e5. ${STALE}`);
    const { snapshot } = this;
    if (snapshot === undefined || snapshot.id !== parsed.snapshot)
      throw new BrowserError(`The ref ${ref} is stale: it belongs to an older snapshot. ${STALE}`);
    return { snapshot, element: parsed.element, id: parsed.snapshot };
  }

  #hold(dialog: Dialog): void {
    // The assistant has asked to leave the page.
    if (dialog.type() === "beforeunload") return void dialog.accept().catch(() => undefined);
    this.#dialog = dialog;
    this.#dialogOpened.resolve(dialog);
  }

  #note(line: string): void {
    this.console.push(line.slice(0, MAX_CONSOLE_CHARS).toWellFormed());
    if (this.console.length > MAX_CONSOLE_LINES) this.console.shift();
  }
}
