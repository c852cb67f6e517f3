import { expect, test } from "vitest";
import { failureText } from "./failure-text.ts";

test.each([
  [200, "in 1 second"],
  [1_001, "in 2 seconds"],
  [60_000, "in a minute"],
  [61_000, "in 2 minutes"],
  [7_200_000, "in 2 hours"],
  [undefined, "in a minute"],
])("a delay of %s ms reads %s", (retryAfterMs, words) => {
  const text = failureText({ code: "rate-limited", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  expect(text).toMatch(new RegExp(`${words}\\b`));
});
