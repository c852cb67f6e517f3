import { cutText } from "@factotum/agent-core";

/** A sub-agent in one line, for people: its label, else its task. `maxChars`: UTF-16 units, after which it is cut. */
export function spawnTitle({ label, task }: { readonly label?: string | undefined; readonly task: string }, maxChars: number): string {
  return cutText((label ?? task).trim().split("\n")[0] ?? "", maxChars, "…");
}
