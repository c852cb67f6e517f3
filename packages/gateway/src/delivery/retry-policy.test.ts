import type { SendReceipt } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { nextTry } from "./retry-policy.ts";

const random = { bytes: () => new Uint8Array(), uuid: () => "", float: () => 0.5 };
const lost: SendReceipt = { type: "ambiguous", cause: "the connection broke" };

test("repeats an ambiguous send only if the repetition itself is sent within the channel's window", () => {
  const attempt = { attempts: 3, refusals: 1, random, idempotent: { windowMs: 60_000, maxKeyLength: 64 } };
  const delayMs = nextTry(lost, { ...attempt, ageMs: 0 }) ?? 0;
  expect(delayMs).toBeGreaterThan(0);
  expect(nextTry(lost, { ...attempt, ageMs: 60_000 - delayMs - 1 })).toBe(delayMs);
  expect(nextTry(lost, { ...attempt, ageMs: 60_000 - delayMs })).toBeUndefined();
  expect(nextTry(lost, { ...attempt, ageMs: 60_000 - 1 })).toBeUndefined();
});

test("never repeats an ambiguous send if the channel does not recognise its key", () => {
  expect(nextTry(lost, { attempts: 1, refusals: 1, ageMs: 0, random })).toBeUndefined();
});
