import { StoreError } from "../../port/store-error.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const DIGITS = 10;

/** The kind of an id: an input, a transcript entry, an outbox row, a list position, a model request. */
type Prefix = "i" | "e" | "o" | "p" | "r";

/** A number as text of fixed width, base 32, so that ids sort in the order of creation. */
export function encodeId(prefix: Prefix, sequence: number): string {
  let digits = "";
  for (let rest = sequence; digits.length < DIGITS; rest = Math.floor(rest / 32)) digits = (ALPHABET[rest % 32] ?? "") + digits;
  return prefix + digits;
}

/** The number of an id, or undefined for a text that is not an id of ours. */
export function decodeId(prefix: Prefix, id: string): number | undefined {
  if (id.length !== DIGITS + 1 || id[0] !== prefix) return undefined;
  let sequence = 0;
  for (const digit of id.slice(1)) {
    const value = ALPHABET.indexOf(digit);
    if (value < 0) return undefined;
    sequence = sequence * 32 + value;
  }
  return sequence;
}

/** The number behind a cursor or a list position; throws `invalid` for a text that the store did not issue. */
export function decodePosition(prefix: Prefix, id: string): number {
  const sequence = decodeId(prefix, id);
  if (sequence === undefined) throw new StoreError("invalid", `${JSON.stringify(id)} is not a position in this list.`);
  return sequence;
}
