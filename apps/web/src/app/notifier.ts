import { t } from "../i18n/t.ts";
import type { AppState } from "./app-state.ts";
import { endedRuns } from "./ended-runs.ts";
import { sessionTitle } from "./session-title.ts";
import type { Store } from "./store.ts";

/** `insecure`: browsers show none without HTTPS. `blocked`: the person has refused them in the browser. */
export type NotificationState = "unsupported" | "insecure" | "blocked" | "off" | "on";

/** The parts of the browser that notifications need. */
interface NotificationPage {
  readonly document: Pick<Document, "hidden" | "baseURI">;
  readonly localStorage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  readonly isSecureContext: boolean;
  /** Absent in browsers without notifications. */
  readonly Notification?: Pick<typeof Notification, "permission" | "requestPermission"> &
    (new (title: string, options: NotificationOptions) => Notification);
  readonly navigator: { readonly serviceWorker?: Pick<ServiceWorkerContainer, "getRegistration"> };
  focus(): void;
}

interface NotifierOptions {
  readonly store: Pick<Store<AppState>, "get" | "subscribe">;
  readonly page: NotificationPage;
  /** Goes to the place that a notification is about, a route such as `/inbox`. */
  readonly open: (route: string) => void;
  readonly renderPath: (sessionKey: string) => string;
}

const CHOICE_KEY = "factotum.notifications";

/**
 * Says on this device that an answer is complete, or that a call waits for a decision, while the page is hidden. Off until the person turns it on, which is when the
 * browser asks for the permission. What was said is in no notification: others may see the screen.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #listeners = new Set<() => void>();
  readonly #stop: () => void;
  #before: AppState;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#before = options.store.get();
    this.#stop = options.store.subscribe(() => this.#look());
  }

  readonly state = (): NotificationState => {
    const { Notification, isSecureContext, localStorage } = this.#options.page;
    if (!isSecureContext) return "insecure";
    if (Notification === undefined) return "unsupported";
    if (Notification.permission === "denied") return "blocked";
    return Notification.permission === "granted" && localStorage.getItem(CHOICE_KEY) === "on" ? "on" : "off";
  };

  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Turns notifications on for this browser, which may ask the person first. */
  async turnOn(): Promise<void> {
    const { Notification, localStorage } = this.#options.page;
    if ((await Notification?.requestPermission()) === "granted") localStorage.setItem(CHOICE_KEY, "on");
    for (const listener of this.#listeners) listener();
  }

  turnOff(): void {
    this.#options.page.localStorage.removeItem(CHOICE_KEY);
    for (const listener of this.#listeners) listener();
  }

  close(): void {
    this.#stop();
  }

  #look(): void {
    const before = this.#before;
    const after = this.#options.store.get();
    this.#before = after;
    if (!this.#options.page.document.hidden || this.state() !== "on") return;
    for (const key of endedRuns(before, after)) {
      const summary = after.sessions.find((session) => session.key === key);
      const mainKey = after.agents.find(({ mainSessionKey }) => mainSessionKey === key)?.mainSessionKey;
      // The gateway's own name for a chat is its first words.
      const named = summary === undefined ? undefined : { ...summary, displayName: key };
      void this.#show(sessionTitle(key, named, mainKey), t("The answer is ready."), this.#options.renderPath(key));
    }
    // Those of the first count may be old.
    if (before.inbox !== undefined && (after.inbox?.approvals ?? 0) > before.inbox.approvals)
      void this.#show(t("Inbox"), t("A call waits for your decision."), "/inbox");
  }

  async #show(title: string, body: string, route: string): Promise<void> {
    const { page, open } = this.#options;
    if (page.Notification === undefined) return;
    // A second tab shows the same one.
    const options = { body, tag: route, icon: new URL("icon-192.png", page.document.baseURI).href };
    try {
      const shown = new page.Notification(title, options);
      shown.addEventListener("click", () => {
        page.focus();
        open(route);
        shown.close();
      });
    } catch (error) {
      // Phones show only those of a service worker.
      if (!(error instanceof TypeError)) throw error;
      const registration = await page.navigator.serviceWorker?.getRegistration();
      await registration?.showNotification(title, { ...options, data: { route } });
    }
  }
}
