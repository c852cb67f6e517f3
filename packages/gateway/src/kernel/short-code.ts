import type { Random } from "@factotum/agent-contract";

/** Without 0, O, 1 and I, which people confuse. 32 characters, so that a byte chooses one without bias. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** A new code for people to type: five unpredictable bits per character. */
export function createShortCode(random: Pick<Random, "bytes">, length: number): string {
  return Array.from(random.bytes(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}

/** A code as people write it: any case, with spaces and dashes. */
export function parseShortCode(written: string): string {
  return written.replaceAll(/[\s-]/gu, "").toUpperCase();
}
