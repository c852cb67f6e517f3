import type { ChatWait } from "@factotum/protocol";
import { t } from "../i18n/t.ts";

/** Says why the messages of a conversation, or the tools of its run, wait, in a sentence for the owner. */
export function describeWait(wait: ChatWait): string {
  switch (wait.type) {
    case "held":
      return t("It starts in a moment, with whatever you add to it.");
    case "earlier":
      return t("Earlier work in this conversation comes first.");
    case "restart":
      return t("The gateway was interrupted and resumes one conversation at a time.");
    case "place":
      return t("Other conversations are being answered: at most {limit} at once (agents.defaults.maxConcurrent).", { limit: wait.limit });
    case "tools":
      return t("Tools wait for those of other conversations: at most {limit} run at once.", { limit: wait.limit });
    case "own-tools":
      return t("Tools wait for others of this conversation: at most {limit} run at once.", { limit: wait.limit });
  }
}
