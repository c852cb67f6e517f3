import { createRoot } from "react-dom/client";
import * as z from "zod";
import { loadToken, storeToken, takeToken } from "./app/address.ts";
import { openAppSession } from "./app/app-session.ts";
import { applyTheme, loadTheme } from "./app/theme.ts";
import { App } from "./views/app.tsx";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/conversation.css";
import "./styles/context.css";
import "./styles/prose.css";
import "./styles/notices.css";

takeToken(window);
// The policy of the page allows no code from strings; without this zod would try it once, and the browser would report that.
z.config({ jitless: true });
applyTheme(loadTheme(localStorage), window);

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no #root.");
const root = createRoot(element);

function open(token: string | undefined): void {
  const session = token === undefined ? undefined : openAppSession(token, window);
  const onToken = (next: string): void => {
    session?.close();
    storeToken(localStorage, next);
    open(next);
  };
  root.render(<App session={session} onToken={onToken} />);
}

// The printed address, pasted over the open page, changes only the fragment.
window.addEventListener("hashchange", () => takeToken(window) && window.location.reload());
open(loadToken(localStorage));
