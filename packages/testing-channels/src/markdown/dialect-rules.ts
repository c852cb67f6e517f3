/** What a platform takes of one way to write styled text, by its documentation. */
export interface DialectRules {
  readonly name: string;
  /** Throws an `Error` with the reason for a message that the platform refuses, or that it would show in another way than meant. */
  check(message: string): void;
  /** The text that a message shows. */
  shown(message: string): string;
}

/** Throws for what no text may contain: controls, unpaired surrogates, nothing to show. `allowed`: controls of the dialect. */
export function checkCharacters(text: string, allowed = ""): void {
  if (text.replaceAll(/[\s\u200b]/g, "") === "") throw new Error("nothing is shown");
  if (!text.isWellFormed()) throw new Error("an unpaired surrogate");
  for (const character of text) {
    // oxlint-disable-next-line no-control-regex -- these are meant
    if (/[\u0000-\u001f\u007f-\u009f]/.test(character) && !`\n\t${allowed}`.includes(character))
      throw new Error(`a control character ${JSON.stringify(character)}`);
  }
}

/** Throws for more than `max` of `unit`. */
export function checkLength(length: number, max: number, unit: string): void {
  if (length > max) throw new Error(`${length} ${unit} are more than ${max}`);
}

/** A fence that is never closed makes the rest of a conversation look like code. */
export function checkFences(text: string): void {
  let open: string | undefined;
  for (const line of text.split("\n")) {
    const fence = /^(?:[ >]|[-*] |\d{1,9}[.)] )*(`{3,})(.*)$/.exec(line);
    if (fence === null) continue;
    const [, ticks = "", rest = ""] = fence;
    if (open === undefined && !rest.includes("`")) open = ticks;
    else if (open !== undefined && rest.trim() === "" && ticks.length >= open.length) open = undefined;
  }
  if (open !== undefined) throw new Error("an unclosed code block");
}
