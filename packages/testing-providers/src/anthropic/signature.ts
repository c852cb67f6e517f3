import { createHmac } from "node:crypto";

/**
 * Signatures of thinking blocks, as the vendor makes them: opaque to the client, valid only for the model that thought and for the
 * unchanged text. They need no memory, so a history outlives the server that signed it.
 */
const KEY = "factotum-testing-providers";

/** The signature of a `thinking` block. */
export function signThinking(model: string, thinking: string): string {
  return createHmac("sha256", KEY).update(`${model}\0${thinking}`).digest("base64");
}

/** The `data` of a `redacted_thinking` block. */
export function sealThinking(model: string, thinking: string): string {
  return Buffer.from(`${signThinking(model, thinking)}\0${thinking}`).toString("base64");
}

/** True when {@link sealThinking} made `data` for this model. */
export function isSealedThinking(model: string, data: string): boolean {
  const [signature = "", ...rest] = Buffer.from(data, "base64").toString().split("\0");
  return signature === signThinking(model, rest.join("\0"));
}
