/** What Chromium sends when the page can be installed; other browsers have an entry in their menu. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

/** How the page can be installed as an app here. `insecure`: not without HTTPS. `menu`: by the browser's own menu. */
export type InstallState = "insecure" | "installed" | "offered" | "menu";

/** Remembers the browser's offer to install the page, which comes once, soon after the page has opened. */
export class InstallOffer {
  readonly #page: Pick<Window, "addEventListener" | "matchMedia" | "isSecureContext">;
  readonly #listeners = new Set<() => void>();
  #offer: InstallPromptEvent | undefined;

  constructor(page: Pick<Window, "addEventListener" | "matchMedia" | "isSecureContext">) {
    this.#page = page;
    page.addEventListener("beforeinstallprompt", (event) => {
      event.preventDefault();
      this.#set(event as InstallPromptEvent);
    });
    page.addEventListener("appinstalled", () => this.#set(undefined));
  }

  readonly state = (): InstallState => {
    if (!this.#page.isSecureContext) return "insecure";
    if (this.#page.matchMedia("(display-mode: standalone)").matches) return "installed";
    return this.#offer === undefined ? "menu" : "offered";
  };

  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Lets the browser ask the person. It offers this once. */
  async install(): Promise<void> {
    const offer = this.#offer;
    this.#set(undefined);
    await offer?.prompt();
  }

  #set(offer: InstallPromptEvent | undefined): void {
    this.#offer = offer;
    for (const listener of this.#listeners) listener();
  }
}
