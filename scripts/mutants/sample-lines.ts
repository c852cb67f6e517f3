import { createHash } from "node:crypto";

/**
 * Numbers of the lines that belong to the sample, from 1. A line is chosen by its own text and its file's path, so that a change elsewhere in the
 * file moves the sample but does not draw another one.
 */
export function sampleLines(path: string, text: string, percent: number): number[] {
  return text
    .split("\n")
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "" && !isComment(line) && bucketOf(`${path}\n${line}`) < percent)
    .map(({ number }) => number);
}

function isComment(line: string): boolean {
  return line.startsWith("//") || line.startsWith("/*") || line.startsWith("*");
}

/** An even spread of 0 up to, not including, 100. */
function bucketOf(text: string): number {
  return (createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32) * 100;
}
