import { createHash, createHmac } from "node:crypto";
import type { JsonObject, JsonValue } from "../json.ts";
import { canonicalAnthropic } from "./canonical-request.ts";

/**
 * Signatures of thinking blocks, like the vendor's: opaque to the client, valid only for the model that thought and for the unchanged text; for models with
 * preserved thinking also only after the unchanged prefix. Stateless, so a history outlives the server that signed it.
 */
const KEY = "factotum-testing-providers";

/** The signature of a `thinking` block. `prefix`: its bound prefix, for a model with preserved thinking. */
export function signThinking(model: string, thinking: string, prefix?: string): string {
  const signature = createHmac("sha256", KEY).update(`${model}\0${thinking}`).digest("base64");
  return prefix === undefined ? signature : `${signature}.${prefix}`;
}

/** The `data` of a `redacted_thinking` block. */
export function sealThinking(model: string, thinking: string, prefix?: string): string {
  return Buffer.from(`${signThinking(model, thinking, prefix)}\0${thinking}`).toString("base64");
}

/** The text of a thinking block of either type; that of a redacted one is inside its data. */
export function readThinking(block: JsonObject): {
  readonly thinking: string;
  readonly signature: string;
  readonly prefix: string | undefined;
} {
  const isSealed = block["type"] === "redacted_thinking";
  const [sealed = "", ...rest] = Buffer.from(textOf(block["data"]), "base64").toString().split("\0");
  const [signature = "", prefix] = (isSealed ? sealed : textOf(block["signature"])).split(".");
  return { thinking: isSealed ? rest.join("\0") : textOf(block["thinking"]), signature, prefix };
}

/** For each message of a request, and for its answer, a digest of what comes before: tools, system prompt and earlier messages, without cache marks. */
export function prefixesOf(body: JsonObject): readonly string[] {
  const { tools, system, messages } = canonicalAnthropic(body);
  const prefixes = [digest("", JSON.stringify([tools, system]))];
  for (const message of messages) prefixes.push(digest(prefixes.at(-1) ?? "", message));
  return prefixes;
}

function digest(before: string, text: string): string {
  return createHash("sha256").update(before).update(text).digest("base64url").slice(0, 22);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
