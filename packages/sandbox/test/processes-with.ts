import { readdirSync, readFileSync } from "node:fs";

/** The processes of this machine whose command line (arguments separated by NUL) contains a text. A zombie has none. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((id) => commandLine(id).includes(text));
}

function commandLine(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
