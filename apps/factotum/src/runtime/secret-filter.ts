import { REDACTED } from "@factotum/config";
import { OutputRedactor } from "./output-redactor.ts";

/** Shorter values would take ordinary words out of what is written. */
const SHORTEST = 4;

/** Shortest line of a secret with several lines that is hidden by itself. */
const MIN_LINE = 16;

/** Knows the secrets of this process and takes them out of text. */
export class SecretFilter {
  /** Knows the same secrets, for what tools return. */
  readonly toolOutput: OutputRedactor = new OutputRedactor();
  readonly #values = new Set<string>();
  #pattern: RegExp | undefined;

  /** From here on the values are hidden, as they are and as JSON writes them. */
  add(values: Iterable<string>): void {
    const added = [...values].flatMap((value) => [value, ...linesOf(value)]);
    this.toolOutput.add(added);
    for (const value of added) {
      if (value.length < SHORTEST) continue;
      this.#values.add(value);
      this.#values.add(JSON.stringify(value).slice(1, -1));
    }
    // Longest first: a secret that holds another one is hidden as a whole.
    const parts = [...this.#values].sort((left, right) => right.length - left.length).map((value) => RegExp.escape(value));
    this.#pattern = parts.length === 0 ? undefined : new RegExp(parts.join("|"), "g");
  }

  /** The values are hidden once they are known. What tools return waits for them. */
  expect(values: Promise<readonly string[]>): void {
    this.toolOutput.waitFor(values.then((found) => this.add(found)));
  }

  hide(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED);
  }
}

/** Lines of a secret that has several, such as a private key: a tool may show some of them alone. What frames them is no secret. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length < 2 ? [] : lines.filter((line) => line.length >= MIN_LINE && !line.startsWith("-----"));
}

/** The values of the variables that are named like a key; nobody means to see these in a log. */
export function secretVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && /(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS)$/.test(name) ? [value] : [],
  );
}
