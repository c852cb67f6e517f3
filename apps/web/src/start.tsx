import { createHashHistory } from "@tanstack/react-router";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import * as z from "zod";
import { forgetToken, keepOffered, loadToken, storeToken, takeToken, TOKEN_KEY } from "./app/address.ts";
import { openAppSession, type TokenListener } from "./app/app-session.ts";
import { dropEarlySocket } from "./app/early-socket.ts";
import { InstallOffer } from "./app/install-offer.ts";
import { registerWorker } from "./app/register-worker.ts";
import { applyTheme, loadTheme } from "./app/theme.ts";
import { activateLanguage, onLanguageChange } from "./i18n/activate-language.ts";
import type { Language } from "./i18n/language.ts";
import type { Catalogue } from "./i18n/load-catalogue.ts";
import { t } from "./i18n/t.ts";
import { forgetDrafts } from "./pages/chat/use-draft.ts";
import { App, type OpenApp } from "./shell/app.tsx";
import { ErrorBoundary } from "./shell/error-boundary.tsx";
import { createAppRouter } from "./shell/router.tsx";

/** The token of the address. Another address may have been pasted while the program was loaded. */
let offered = takeToken(window);
/** Pasting the printed address into the open page changes only the fragment. Listens before the history does, which knows no tokens. */
window.addEventListener("popstate", () => {
  const token = takeToken(window);
  if (token === undefined) return;
  offered = token;
  open(token);
});
/** Logging out in one tab logs out of all of them. */
window.addEventListener("storage", ({ key, newValue, storageArea }) => {
  if (storageArea === localStorage && key === TOKEN_KEY && newValue === null && app !== undefined) close();
});
const history = createHashHistory();
const install = new InstallOffer(window);
// The page's policy forbids code from strings; without this zod would try it once, and the browser would report a violation.
z.config({ jitless: true });
applyTheme(loadTheme(localStorage), window);

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no #root.");
const root = createRoot(element);

let app: OpenApp | undefined;
/** Number of tokens that were tried. */
let serial = 0;

/** Opens the app with a token. A token from the address replaces the stored one only after the gateway has accepted it. */
function open(token: string | undefined, options: { readonly notice?: string } = {}): void {
  app?.session.close();
  app = token === undefined ? undefined : createApp(token);
  if (app === undefined) dropEarlySocket();
  if (options.notice !== undefined) app?.session.store.update({ alert: options.notice });
  serial += 1;
  render();
}

/** Ends the session, and what this tab keeps of it. */
function close(): void {
  flushSync(() => open(undefined));
  // Not before: a chat that is closed stores what is not sent.
  forgetDrafts(sessionStorage);
}

/** Draws the page from the beginning: rows that did not change keep what they have drawn, in the language of before. */
function render(): void {
  root.render(
    <ErrorBoundary>
      <App key={`${serial} ${document.documentElement.lang}`} open={app} onToken={(next) => open(next)} />
    </ErrorBoundary>,
  );
}

function createApp(token: string): OpenApp {
  return {
    session: openAppSession({ token, page: window, history, install, listener: listenTo(token) }),
    router: createAppRouter(history),
  };
}

function listenTo(token: string): TokenListener {
  return {
    onAccepted: () => {
      storeToken(localStorage, token);
      keepOffered(sessionStorage, undefined);
      // By now the program has been loaded, and it is known that this is its gateway.
      void registerWorker(window);
    },
    onRefused: () => {
      keepOffered(sessionStorage, undefined);
      const kept = loadToken(localStorage);
      if (offered !== token || kept === undefined || kept === token) return;
      open(kept, {
        notice: t("The address held a token that this gateway refuses. You stay connected with the one that this browser had."),
      });
    },
    onLogOut: () => {
      offered = undefined;
      keepOffered(sessionStorage, undefined);
      forgetToken(localStorage);
      close();
    },
  };
}

/** Options of `startPage`. */
interface StartOptions {
  readonly language: Language;
  readonly catalogue: Catalogue;
  /** The token that the address had when the page was opened. */
  readonly offered: string | undefined;
}

/** Opens the page in a language. Called once. */
export function startPage({ language, catalogue, offered: first }: StartOptions): void {
  offered ??= first;
  activateLanguage(language, catalogue, window);
  onLanguageChange(render);
  open(offered ?? loadToken(localStorage));
}
