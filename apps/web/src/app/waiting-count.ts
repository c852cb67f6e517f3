import type { AppState } from "./app-state.ts";
import { PAIRING_WARNING } from "./pairing-warning.ts";
import { isSameWarning } from "./same-warning.ts";

/** Number of items in the inbox. Dismissed warnings do not count, except for people who wait to be admitted. */
export function waitingCount({ warnings, hiddenWarnings, inbox }: Pick<AppState, "warnings" | "hiddenWarnings" | "inbox">): number {
  const shown = warnings.filter(
    (warning) => warning.id.startsWith(PAIRING_WARNING) || !hiddenWarnings.some((hidden) => isSameWarning(hidden, warning)),
  );
  return shown.length + (inbox?.approvals ?? 0) + (inbox?.deadLetters ?? 0);
}
