import type { CommandResult } from "./ports.ts";

const MAX_CHARS = 500;
const LINES = 3;
/** How Node.js ends a program whose error nothing has caught: with its version, after a trace of many lines. */
const NODE_CRASH = /\nNode\.js v[\d.]+$/;
const ERROR_LINE = /^\w*Error\b.*:/;

/** Why the process of a server has ended, for the owner. `said`: what it wrote last, of which the newest lines are added, or the error that it ended with. */
export function describeEnd({ end }: CommandResult, said: string): string {
  const last = lastWords(said.trim());
  const added = last === "" ? "" : ` (${last})`;
  switch (end.type) {
    case "over-limit":
      return `it was ended, because it used more ${end.limit} than it may (${end.used} of ${end.allowed})`;
    case "not-started":
      return end.message.replace(/\.$/, "");
    case "exited":
    case "signalled":
    case "timed-out":
    case "aborted":
      return `it has ended${added}`;
  }
}

function lastWords(said: string): string {
  const lines = said.split("\n");
  const error = NODE_CRASH.test(said) ? lines.find((line) => ERROR_LINE.test(line)) : undefined;
  return (error ?? lines.slice(-LINES).join(" ")).slice(-MAX_CHARS);
}
