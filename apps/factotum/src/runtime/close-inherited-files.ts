import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Of the flags of an open file in `/proc`: it is closed in programs that the process starts. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the files that the program which started this process has left open in it. Everything that Node opens is closed in the commands that the gateway starts;
 * these are not, and would reach into a sandbox. Without `/proc` it does nothing, and neither under a parent that talks to it over a channel.
 */
export function closeInheritedFiles(): void {
  if (process.channel !== undefined) return;
  for (const name of openFiles()) {
    const descriptor = Number(name);
    if (descriptor <= 2 || isClosedOnExec(name)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // The folder that was just listed is in the list, and closed by now.
    }
  }
}

function openFiles(): readonly string[] {
  try {
    return readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
}

/** True also for one that cannot be examined. */
function isClosedOnExec(name: string): boolean {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8")) ?? [];
    return flags === undefined || (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return true;
  }
}
