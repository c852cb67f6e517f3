import { createHmac, randomBytes } from "node:crypto";

/** Signatures of thoughts like the vendor's: opaque to the client; any other text is refused. Stateless. */
const KEY = "factotum-testing-providers";

function proof(nonce: string): string {
  return createHmac("sha256", KEY).update(nonce).digest("hex");
}

/** A `thoughtSignature`. */
export function signThought(): string {
  const nonce = randomBytes(12).toString("hex");
  return Buffer.from(`${nonce}.${proof(nonce)}`).toString("base64");
}

/** True when {@link signThought} made it, here or in another server. */
export function isThoughtSignature(signature: string): boolean {
  const [nonce = "", mac] = Buffer.from(signature, "base64").toString().split(".");
  return mac === proof(nonce);
}
