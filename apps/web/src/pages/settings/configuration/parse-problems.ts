import type { FormProblem } from "../../../ui/schema-form/form-facts.ts";

/** A key as the gateway writes it: `agents.list[0].model`, `models.providers["my.provider"]`. */
const KEY = /^(?<path>[\w$-]+(?:\.[^\s:.[\]"]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*): (?<message>.+)$/;

/** The problems of a refused change, one on each line; those without a key have an empty path. */
export function parseProblems(message: string): readonly FormProblem[] {
  return message
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const { path = "", message: words = line } = KEY.exec(line)?.groups ?? {};
      return { path, message: words };
    });
}
