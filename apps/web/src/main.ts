import { loadToken, parseFragment } from "./app/address.ts";
import { openEarlySocket } from "./app/early-socket.ts";
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
void import("./start.tsx");
