import { REDACTED } from "@factotum/config";
import { OutputRedactor } from "./output-redactor.ts";

/** Shorter values would redact ordinary words. */
const SHORTEST = 4;

/** Shortest line of a multi-line secret that is hidden separately. */
const MIN_LINE = 16;

/** Knows the secrets of this process and redacts them in text. */
export class SecretFilter {
  /** Knows the same secrets, for tool results. */
  readonly toolOutput: OutputRedactor = new OutputRedactor();
  readonly #values = new Set<string>();
  #pattern: RegExp | undefined;

  /** From now on the values are hidden, plain and as encoded in JSON. */
  add(values: Iterable<string>): void {
    const added = [...values].flatMap((value) => [value, ...linesOf(value)]);
    this.toolOutput.add(added);
    for (const value of added) {
      if (value.length < SHORTEST) continue;
      this.#values.add(value);
      this.#values.add(JSON.stringify(value).slice(1, -1));
    }
    // Longest first: a secret that contains another one is hidden as a whole.
    const parts = [...this.#values].sort((left, right) => right.length - left.length).map((value) => RegExp.escape(value));
    this.#pattern = parts.length === 0 ? undefined : new RegExp(parts.join("|"), "g");
  }

  /** The values are hidden once they are known. Tool results wait for them. */
  expect(values: Promise<readonly string[]>): void {
    this.toolOutput.waitFor(values.then((found) => this.add(found)));
  }

  hide(text: string): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, REDACTED);
  }
}

/** Lines of a multi-line secret, such as a private key: a tool may show some of them alone. Its frame is not secret. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return lines.length < 2 ? [] : lines.filter((line) => line.length >= MIN_LINE && !line.startsWith("-----"));
}

/** The values of variables named like a key, which are never meant for a log. */
export function secretVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && /(KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS)$/.test(name) ? [value] : [],
  );
}
