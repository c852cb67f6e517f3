import { createHmac } from "node:crypto";

/**
 * Encrypted thoughts as the vendor makes them: opaque to the client and bound to their item. They need no memory, so a history outlives
 * the server that sealed them.
 */
const KEY = "factotum-testing-providers";

function proof(id: string): string {
  return createHmac("sha256", KEY).update(id).digest("base64url");
}

/** The `encrypted_content` of a reasoning item. */
export function sealReasoning(id: string, thinking: string): string {
  return `gAAAAA${Buffer.from(`${id}\0${proof(id)}\0${thinking}`).toString("base64url")}`;
}

/** Why sealed content is invalid for an item; undefined if it is valid. An item without an id accepts any intact one. */
export function whySealIsBroken(sealed: string, id: string | undefined): string | undefined {
  const [owner = "", mac] = sealed.startsWith("gAAAAA") ? Buffer.from(sealed.slice(6), "base64url").toString().split("\0") : [];
  if (mac === undefined || mac !== proof(owner)) return "Encrypted content could not be decrypted or parsed.";
  return id !== undefined && id !== owner ? "Encrypted content item_id did not match the target item id." : undefined;
}
