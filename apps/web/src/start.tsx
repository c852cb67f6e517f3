import { createRoot } from "react-dom/client";
import * as z from "zod";
import { loadToken, storeToken, takeToken } from "./app/address.ts";
import { type AppSession, openAppSession, type TokenListener } from "./app/app-session.ts";
import { warmFormats } from "./app/locale.ts";
import { applyTheme, loadTheme } from "./app/theme.ts";
import { App } from "./views/app.tsx";
import { ErrorBoundary } from "./views/error-boundary.tsx";

let offered = takeToken(window);
// The page's policy forbids code from strings; without this zod would try it once, and the browser would report a violation.
z.config({ jitless: true });
applyTheme(loadTheme(localStorage), window);

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no #root.");
const root = createRoot(element);

let session: AppSession | undefined;

/** Opens the app with a token. A token from the address replaces the stored one only after the gateway has accepted it. */
function open(token: string | undefined, options: { readonly notice?: string } = {}): void {
  session?.close();
  session = token === undefined ? undefined : openAppSession(token, window, listenTo(token));
  if (options.notice !== undefined) session?.store.update({ alert: options.notice });
  root.render(
    <ErrorBoundary>
      <App key={token} session={session} onToken={(next) => open(next)} />
    </ErrorBoundary>,
  );
}

function listenTo(token: string): TokenListener {
  return {
    onAccepted: () => storeToken(localStorage, token),
    onRefused: () => {
      const kept = loadToken(localStorage);
      if (offered !== token || kept === undefined || kept === token) return;
      open(kept, { notice: "The address held a token that this gateway refuses. You stay connected with the one that this browser had." });
    },
  };
}

/** Pasting the printed address into the open page changes only the fragment. */
window.addEventListener("hashchange", () => {
  const token = takeToken(window);
  if (token === undefined) return;
  offered = token;
  open(token);
});
open(offered ?? loadToken(localStorage));
// After the first frame, while the page waits for the gateway's answer.
requestAnimationFrame(() => setTimeout(warmFormats));
