import type { JsonObject } from "@factotum/agent-contract";

/** The addresses that a call of a reading tool requests: its `url`, and those among its `images`, which are files otherwise. */
export function requestedAddresses({ url, images }: JsonObject): readonly string[] {
  const listed = Array.isArray(images) ? images : [];
  return [...(typeof url === "string" ? [url] : []), ...listed.filter(isAddress)];
}

/** Also of a text that no address can be: the tool refuses it, and asking about it is safe. */
function isAddress(named: unknown): named is string {
  return typeof named === "string" && /^\s*https?:/i.test(named);
}
