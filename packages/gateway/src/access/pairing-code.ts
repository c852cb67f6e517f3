import type { Random } from "@factotum/agent-contract";

/** Without 0, O, 1 and I, which people confuse. 32 characters, so that a byte chooses one without bias. */
const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const LENGTH = 8;

/** A new code: 40 unpredictable bits. */
export function createPairingCode(random: Pick<Random, "bytes">): string {
  return Array.from(random.bytes(LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}

/** A code as people write it: any case, with spaces and dashes. */
export function parsePairingCode(written: string): string {
  return written.replaceAll(/[\s-]/gu, "").toUpperCase();
}
