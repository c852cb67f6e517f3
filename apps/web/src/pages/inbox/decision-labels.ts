import type { ApprovalDecision } from "@factotum/protocol";
import { msg } from "../../i18n/t.ts";

/** What the buttons of decisions say. */
export const DECISION_LABELS: Readonly<Record<ApprovalDecision, string>> = {
  "allow-once": msg("Allow once"),
  "allow-session": msg("Allow in this conversation"),
  "allow-always": msg("Always allow"),
  deny: msg("Deny"),
};
