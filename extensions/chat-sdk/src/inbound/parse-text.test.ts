import { expect, test } from "vitest";
import { withoutAddress } from "./parse-text.ts";

test.each([
  ["@factotum_bot /status", "/status"],
  ["@Factotum_Bot: hello", "hello"],
  ["<@U17> hello", "hello"],
  ["@factotum_bot", ""],
  ["@factotum_bots hello", "@factotum_bots hello"],
  ["hello @factotum_bot", "hello @factotum_bot"],
])("%j addresses the bot with %j", (text, rest) => {
  expect(withoutAddress(text, { userName: "factotum_bot", botUserId: "U17" })).toBe(rest);
});

test("a bot without a name is addressed by nothing", () => {
  expect(withoutAddress("@ all", { userName: "" })).toBe("@ all");
});
