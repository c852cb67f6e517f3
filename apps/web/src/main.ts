import { keepOffered, loadOffered, loadToken, parsePath, takeToken } from "./app/address.ts";
import { dropEarlySocket, openEarlySocket } from "./app/early-socket.ts";
import { setLocale, warmFormats } from "./app/locale.ts";
import { loadLanguage, pickLanguage, pickLocale } from "./i18n/language.ts";
import { loadCatalogue } from "./i18n/load-catalogue.ts";
import { msg } from "./i18n/msg.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/layout.css";
import "./styles/conversation.css";
import "./styles/composer.css";
import "./styles/prose.css";
import "./styles/notices.css";
import "./styles/sessions.css";
import "./styles/messages.css";
import "./pages/chat/subagents/subagents.css";
import "./styles/print.css";

const NOT_LOADED = msg("The program of this page could not be loaded. Check that the gateway runs, and reload the page.");

// The conversation arrives while the rest of the page is loaded. Without a token there is nothing to connect for.
const offered = takeToken(window) ?? loadOffered(sessionStorage);
if (offered !== undefined) keepOffered(sessionStorage, offered);
const token = offered ?? loadToken(localStorage);
if (token !== undefined) openEarlySocket(document.baseURI, { token, sessionKey: parsePath(location.hash.slice(1))?.sessionKey });
const wanted = loadLanguage(localStorage) ?? pickLanguage(navigator.languages);
setLocale(pickLocale(wanted, navigator.languages));
// After the first frame: nothing else happens until the program is there.
requestAnimationFrame(() => setTimeout(warmFormats));
// English comes with the program: a page in it is better than none.
const texts = loadCatalogue(wanted).then(
  (catalogue) => ({ language: wanted, catalogue }),
  async () => ({ language: "en" as const, catalogue: await loadCatalogue("en") }),
);
// The texts are loaded at the same time as the program.
void Promise.all([import("./start.tsx"), texts]).then(
  ([{ startPage }, { language, catalogue }]) => startPage({ language, catalogue, offered }),
  async () => {
    dropEarlySocket();
    const note = document.querySelector("#root > .chat-note");
    // What translates would have come with the program. The catalogue has English only where it has placeholders.
    const { messages } = (await texts).catalogue;
    if (note !== null) note.textContent = String(messages[NOT_LOADED] ?? NOT_LOADED);
  },
);
