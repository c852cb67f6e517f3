import { loadToken, parseFragment } from "./app/address.ts";
import { openEarlySocket } from "./app/early-socket.ts";
import { loadLanguage, pickLanguage } from "./i18n/language.ts";
import { loadCatalogue } from "./i18n/load-catalogue.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/conversation.css";
import "./styles/context.css";
import "./styles/prose.css";
import "./styles/notices.css";
import "./styles/sessions.css";
import "./styles/messages.css";
import "./pages/chat/subagents/subagents.css";
import "./styles/print.css";

// The handshake takes place while the rest of the page is loaded. Without a token there is nothing to connect for.
if ((parseFragment(location.hash).token ?? loadToken(localStorage)) !== undefined) openEarlySocket(document.baseURI);
const language = loadLanguage(localStorage) ?? pickLanguage(navigator.languages);
// The texts are loaded at the same time as the program.
void Promise.all([import("./start.tsx"), loadCatalogue(language)]).then(([{ startPage }, messages]) => startPage(language, messages));
