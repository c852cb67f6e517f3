import { expect, test } from "vitest";
import { TelegramRefusal, toChannelError, toReceipt } from "./errors.ts";

const refusal = (status: number, description: string) => new TelegramRefusal({ method: "sendMessage", status, description });

test.each([
  [401, "Unauthorized", "unauthorized"],
  [404, "Not Found", "unauthorized"],
  [403, "Forbidden: bot was blocked by the user", "forbidden"],
  [403, "Forbidden: bot was kicked from the supergroup chat", "forbidden"],
  [400, "Bad Request: not enough rights to send text messages to the chat", "forbidden"],
  [400, "Bad Request: TOPIC_CLOSED", "forbidden"],
  [400, "Bad Request: message can't be deleted for everyone", "forbidden"],
  [400, "Bad Request: chat not found", "not-found"],
  [400, "Bad Request: message to edit not found", "not-found"],
  [400, "Bad Request: message thread not found", "not-found"],
  [400, "Bad Request: PEER_ID_INVALID", "not-found"],
  [400, "Bad Request: message is too long", "too-long"],
  [400, "Bad Request: file is too big", "too-long"],
  [413, "Request Entity Too Large", "too-long"],
  [400, "Bad Request: REACTION_INVALID", "rejected"],
  [409, "Conflict: terminated by other getUpdates request", "unreachable"],
] as const)("%i %s is %s", (status, description, code) => {
  expect(toChannelError(refusal(status, description)).code).toBe(code);
});

test("a failure of the platform itself is ambiguous", () => {
  expect(toReceipt(refusal(500, "Internal Server Error"))).toMatchObject({ type: "ambiguous" });
});

test("the platform's delay is in the receipt", () => {
  const limited = new TelegramRefusal({ method: "m", status: 429, description: "Too Many Requests: retry after 7", retryAfterMs: 7_000 });
  expect(toReceipt(limited)).toMatchObject({ code: "rate-limited", retry: { type: "after", delayMs: 7_000 } });
});

test("a part of a message that the platform quotes is not in the error", () => {
  const { message } = refusal(400, 'Bad Request: can\'t parse entities: Unsupported start tag "my private words" at byte offset 3');
  expect(message).not.toContain("private");
  expect(message).toContain("can't parse entities");
});
