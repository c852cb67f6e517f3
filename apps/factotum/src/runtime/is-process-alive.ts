import { readFileSync } from "node:fs";

/**
 * True while a process of that number runs. A zombie counts as ended: it does nothing any more, and in a container whose first process reaps late, or never, it
 * would be waited for.
 */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

/** False where the system does not tell: outside of Linux, and without /proc. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses and may contain any character; the state follows.
    return stat.charAt(stat.lastIndexOf(")") + 2) === "Z";
  } catch {
    return false;
  }
}
