import { crc32 } from "node:zlib";
import { StoreError } from "../../port/store-error.ts";

/** What binds a payload to its row: a payload that turns up under other facts is damage too. */
type Fact = string | number | null;

/** CRC-32 over a payload and the facts that it belongs to. */
export function checksum(payload: string, facts: readonly Fact[]): number {
  return crc32(payload, crc32(facts.join("|")));
}

/** Parses a payload that is known to be what was written; throws `damaged` otherwise. */
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
