import { StoreError } from "../../port/store-error.ts";

/** Session ids become file names. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Refuses an invalid key: SQLite would cut it at NUL (R10), and a lone surrogate would be read back as another text. */
export function checkKey(name: string, value: string): string {
  if (value.includes("\u0000") || !value.isWellFormed()) {
    throw new StoreError("invalid", `${name} holds a character that a key cannot have: ${JSON.stringify(value)}.`);
  }
  return value;
}

/** A session id, which is also the name of its plain file. */
export function checkSessionId(value: string): string {
  if (!FILE_NAME.test(value)) {
    throw new StoreError("invalid", `${JSON.stringify(value)} cannot be a session id: letters, digits, dot, dash and underscore only.`);
  }
  return value;
}
