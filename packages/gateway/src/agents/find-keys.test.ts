import type { Logger } from "@factotum/agent-contract";
import type { Secret } from "@factotum/config";
import { expect, test } from "vitest";
import { ownerFailureText } from "../notices/failure-text.ts";
import { findKeys } from "./find-keys.ts";

const logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger } as unknown as Logger;

/** The text that the owner gets when the only key has no value. */
async function failureOf(place: "single" | "named", secret: Secret): Promise<string> {
  const provider = { models: [], ...(place === "single" ? { apiKey: secret } : { credentials: { work: { apiKey: secret } } }) };
  const lookup = { environment: { HOME: "/nowhere" }, logger };
  const error: unknown = await findKeys("acme", provider as unknown as Parameters<typeof findKeys>[1], lookup).catch(
    (thrown: unknown) => thrown,
  );
  return ownerFailureText({ type: "failed", code: "unauthorized", message: (error as Error).message }, (text) => text);
}

const AGAIN = "Then send the message again.";

test.each([
  ["single", { type: "file", path: "/nowhere/key" }, 'does not exist. Set it with "factotum auth set acme".'],
  ["named", { type: "file", path: "/nowhere/key" }, "does not exist. Put the key into this file."],
  ["named", { type: "env", name: "ACME_KEY" }, "ACME_KEY is not set; set it before the gateway starts."],
  ["single", { type: "exec", command: ["/nowhere/print-key"] }, "Correct the command, or name another source of the key there."],
  ["single", { type: "literal", value: " " }, "is empty. Set the key there."],
] as const)("says what to do before asking for the message again: %s %j", async (place, secret, instruction) => {
  expect((await failureOf(place, secret)).endsWith(`${instruction} ${AGAIN}`)).toBe(true);
});
