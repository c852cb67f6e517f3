import type { RouterHistory } from "@tanstack/react-router";
import { browserTimers } from "../gateway-client/timers.ts";
import { createLoginClient, type LoginClient } from "../channel-login/login-client.ts";
import { createSetupClient, type SetupClient } from "../first-run/setup-client.ts";
import { GatewayClient } from "../gateway-client/gateway-client.ts";
import { parsePath, renderPath, type SessionPlace } from "./address.ts";
import { AppController } from "./app-controller.ts";
import { type AppState, INITIAL_STATE } from "./app-state.ts";
import { PAGE_CLIENT, takeSocket } from "./early-socket.ts";
import { InboxController } from "./inbox-controller.ts";
import type { InstallOffer } from "./install-offer.ts";
import { loadMedia } from "./load-media.ts";
import { MediaCache } from "./media-cache.ts";
import { Notifier } from "./notifier.ts";
import { randomId } from "./random-id.ts";
import { saveFile } from "./save-file.ts";
import { scheduleDraw } from "./schedule-draw.ts";
import { Store } from "./store.ts";
import { uploadFile } from "./upload-file.ts";

/** The conversation that was opened last: it is where messages go while the gateway cannot be reached. */
const LAST_SESSION_KEY = "factotum.lastSession";

/** The app's state and connection for one token, until `close`. */
export interface AppSession {
  readonly token: string;
  readonly store: Store<AppState>;
  readonly controller: AppController;
  readonly setup: SetupClient;
  readonly logins: LoginClient;
  readonly inbox: InboxController;
  /** How the page is installed as an app. */
  readonly install: InstallOffer;
  readonly notifier: Notifier;
  /** For requests of single pages. */
  readonly client: GatewayClient;
  /** Calls back when the session ends. */
  onClose(listener: () => void): void;
  retryNow(): void;
  /** Forgets the token in this browser, and ends. */
  logOut(): void;
  close(): void;
}

/** Receives the gateway's verdict on the token. */
export interface TokenListener {
  onAccepted(): void;
  onRefused(): void;
  /** The person has logged out. */
  onLogOut(): void;
}

/** Options of `openAppSession`. */
interface AppSessionOptions {
  readonly token: string;
  readonly page: Window & typeof globalThis;
  /** The routes that were visited. */
  readonly history: RouterHistory;
  readonly install: InstallOffer;
  readonly listener: TokenListener;
}

/** Connects to the gateway that served the page, and opens the sessions that the address names. */
export function openAppSession({ token, page, history, install, listener }: AppSessionOptions): AppSession {
  const store = new Store<AppState>(INITIAL_STATE, (notify) => scheduleDraw(page, notify));
  const client = new GatewayClient({
    openSocket: () => takeSocket(page.document.baseURI, token),
    token,
    client: PAGE_CLIENT,
    timers: browserTimers,
    random: Math.random,
  });
  const controller = new AppController({
    client,
    store,
    storage: page.sessionStorage,
    timers: browserTimers,
    randomId,
    upload: async (image) =>
      uploadFile(image, { address: new URL("uploads", page.document.baseURI).href, token, fetch: page.fetch.bind(page) }),
    saveFile: (name, text) => saveFile(name, text, page.document),
    media: new MediaCache({
      load: async (sessionKey, id) => loadMedia({ sessionKey, id }, { base: page.document.baseURI, token, fetch: page.fetch.bind(page) }),
      createUrl: (blob) => URL.createObjectURL(blob),
      revokeUrl: (url) => URL.revokeObjectURL(url),
    }),
    onNavigate: (place, { isFirst }) => {
      page.localStorage.setItem(LAST_SESSION_KEY, place.sessionKey);
      navigate(place, isFirst, history);
    },
  });

  client.onStateChange((state) => {
    if (state.type === "connected") listener.onAccepted();
    // An installed page begins without an address. The gateway would say which conversation that means.
    else if (state.type === "waiting" && store.get().sessionKey === undefined && isBare(history)) {
      const last = page.localStorage.getItem(LAST_SESSION_KEY);
      if (last !== null) controller.openSession(last);
    } else if (state.type === "refused" && state.reason === "unauthorized") listener.onRefused();
  });
  const ending = new AbortController();
  const listening = { signal: ending.signal };
  page.addEventListener("online", () => client.retryNow(), listening);
  page.document.addEventListener("visibilitychange", () => page.document.visibilityState === "visible" && client.retryNow(), listening);
  const followAddress = (): void => {
    const place = parsePath(history.location.pathname);
    if (place !== undefined) controller.follow(place);
    // The route of the chat alone stands for the session that is open.
    else if (isBare(history)) controller.showChat();
  };
  page.addEventListener("pagehide", () => void controller.finishDelete(), listening);
  ending.signal.addEventListener("abort", history.subscribe(followAddress));
  followAddress();
  ending.signal.addEventListener("abort", rememberOpened(store, page.localStorage));
  const notifier = new Notifier({ store, page, open: (route) => history.push(route), renderPath });
  ending.signal.addEventListener("abort", () => notifier.close());
  client.start();
  return {
    token,
    store,
    controller,
    inbox: new InboxController(client, store, browserTimers),
    setup: createSetupClient(client),
    logins: createLoginClient(client),
    install,
    notifier,
    client,
    onClose: (listener) => ending.signal.addEventListener("abort", listener),
    retryNow: () => client.retryNow(),
    logOut: () => {
      page.localStorage.removeItem(LAST_SESSION_KEY);
      listener.onLogOut();
    },
    close: () => {
      ending.abort();
      client.stop();
    },
  };
}

/** Remembers each conversation that the gateway has opened, however it was reached; not one that it refuses. Call the returned function to stop. */
function rememberOpened(store: Store<AppState>, storage: Storage): () => void {
  let last: string | undefined;
  return store.subscribe(() => {
    const { sessionKey, open } = store.get();
    if (open.type !== "open" || sessionKey === undefined || sessionKey === last) return;
    last = sessionKey;
    storage.setItem(LAST_SESSION_KEY, sessionKey);
  });
}

/** True at an address that names neither a session nor another page. */
function isBare({ location }: RouterHistory): boolean {
  return location.pathname === "/" || location.pathname === "/chat";
}

/** Goes to a session. It replaces a bare address; otherwise it adds a history entry. */
function navigate(place: SessionPlace, isFirst: boolean, history: RouterHistory): void {
  const current = parsePath(history.location.pathname);
  if (current?.sessionKey === place.sessionKey && current.view === place.view) return;
  const path = renderPath(place.sessionKey, place.view);
  if (isBare(history)) history.replace(path);
  else if (!isFirst) history.push(path);
}
