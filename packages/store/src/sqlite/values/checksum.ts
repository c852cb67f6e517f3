import { crc32 } from "node:zlib";
import { StoreError } from "../../port/store-error.ts";

/** The facts that a checksum binds to a payload: the same payload with other facts counts as damaged. */
type Fact = string | number | null;

/** CRC-32 over a payload and the facts that it belongs to. */
export function checksum(payload: string, facts: readonly Fact[]): number {
  return crc32(payload, crc32(facts.join("|")));
}

/** Parses a payload after checking its checksum; throws `damaged` on a mismatch. */
export function parseChecked<Payload>(payload: unknown, sum: unknown, facts: readonly Fact[]): Payload {
  if (typeof payload !== "string" || sum !== checksum(payload, facts)) {
    throw new StoreError("damaged", "A stored payload is not what was written.");
  }
  try {
    return JSON.parse(payload) as Payload;
  } catch (cause) {
    throw new StoreError("damaged", "A stored payload is not what was written.", { cause });
  }
}
