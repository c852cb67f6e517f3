import type { SenderIdProblem } from "../compose/sender-id-problems.ts";
import type { Finding } from "./finding.ts";

/** Ids of people in the configuration that match no one, because the channel identifies its senders by another kind of id. */
export function checkSenderIds(problems: readonly SenderIdProblem[]): readonly Finding[] {
  return problems.map(({ path, message, fix }) => ({ check: "sender-id", level: "warning", message: `${path}: ${message}`, fix }));
}
