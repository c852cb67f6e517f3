import { gatewayText } from "../i18n/gateway-text.ts";
import type { Toasts } from "../ui/toasts.tsx";

/** Shows what the gateway has found wrong since a change that it made: a toast for each problem, in the language of the page. */
export function showProblems({ show }: Toasts, problems: readonly string[]): void {
  for (const problem of problems) show({ kind: "error", text: gatewayText(problem) });
}
