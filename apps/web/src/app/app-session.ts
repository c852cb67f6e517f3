import { browserTimers } from "../gateway-client/timers.ts";
import { createLoginClient, type LoginClient } from "../channel-login/login-client.ts";
import { createSetupClient, type SetupClient } from "../first-run/setup-client.ts";
import { GatewayClient } from "../gateway-client/gateway-client.ts";
import { parseFragment, renderFragment } from "./address.ts";
import { AppController } from "./app-controller.ts";
import { type AppState, INITIAL_STATE } from "./app-state.ts";
import { takeSocket } from "./early-socket.ts";
import { loadMedia } from "./load-media.ts";
import { MediaCache } from "./media-cache.ts";
import { randomId } from "./random-id.ts";
import { saveFile } from "./save-file.ts";
import { scheduleDraw } from "./schedule-draw.ts";
import { Store } from "./store.ts";
import { uploadImage } from "./upload-image.ts";

/** The app's state and connection for one token, until `close`. */
export interface AppSession {
  readonly store: Store<AppState>;
  readonly controller: AppController;
  readonly setup: SetupClient;
  readonly logins: LoginClient;
  retryNow(): void;
  close(): void;
}

/** Receives the gateway's verdict on the token. */
export interface TokenListener {
  onAccepted(): void;
  onRefused(): void;
}

/** Connects to the gateway that served the page and opens the session in the address. */
export function openAppSession(token: string, page: Window, listener: TokenListener): AppSession {
  const store = new Store<AppState>(INITIAL_STATE, (notify) => scheduleDraw(page, notify));
  const client = new GatewayClient({
    openSocket: () => takeSocket(page.document.baseURI),
    token,
    client: { name: "control-ui", version: "1" },
    timers: browserTimers,
    random: Math.random,
  });
  /** // What the page opens because of the address adds no history entry. */
  let following = false;
  const controller = new AppController({
    client,
    store,
    storage: page.sessionStorage,
    timers: browserTimers,
    randomId,
    upload: async (image) =>
      uploadImage(image, { address: new URL("uploads", page.document.baseURI).href, token, fetch: page.fetch.bind(page) }),
    saveFile: (name, text) => saveFile(name, text, page.document),
    media: new MediaCache({
      load: async (sessionKey, id) => loadMedia({ sessionKey, id }, { base: page.document.baseURI, token, fetch: page.fetch.bind(page) }),
      createUrl: (blob) => URL.createObjectURL(blob),
      revokeUrl: (url) => URL.revokeObjectURL(url),
    }),
    onNavigate: (sessionKey, view) => {
      if (!following) navigate(renderFragment(sessionKey, view), page);
    },
  });

  client.onStateChange((state) => {
    if (state.type === "connected") listener.onAccepted();
    else if (state.type === "refused" && state.reason === "unauthorized") listener.onRefused();
  });
  const ending = new AbortController();
  const listening = { signal: ending.signal };
  page.addEventListener("online", () => client.retryNow(), listening);
  page.document.addEventListener("visibilitychange", () => page.document.visibilityState === "visible" && client.retryNow(), listening);
  const followAddress = (): void => {
    const { sessionKey, view } = parseFragment(page.location.hash);
    if (sessionKey === undefined) return;
    following = true;
    controller.openSession(sessionKey);
    if (view === "context") controller.showContext();
    else controller.showChat();
    following = false;
  };
  page.addEventListener("pagehide", () => void controller.finishDelete(), listening);
  page.addEventListener("hashchange", followAddress, listening);
  followAddress();
  client.start();
  return {
    store,
    controller,
    setup: createSetupClient(client),
    logins: createLoginClient(client),
    retryNow: () => client.retryNow(),
    close: () => {
      ending.abort();
      client.stop();
    },
  };
}

/** The first session replaces the bare address; later ones add history entries. */
function navigate(fragment: string, page: Window): void {
  if (page.location.hash === fragment) return;
  if (page.location.hash === "") page.history.replaceState(null, "", fragment);
  else page.history.pushState(null, "", fragment);
}
