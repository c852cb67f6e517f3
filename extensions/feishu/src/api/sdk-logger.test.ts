import { TestHost } from "@factotum/channel-conformance";
import { PlatformFailure } from "@factotum/channel-kit";
import { expect, test } from "vitest";
import { createSdkLogger } from "./sdk-logger.ts";

function logged(...parts: unknown[]): string[] {
  const host = new TestHost();
  const logger = createSdkLogger(host.logger, ["the-app-secret"]);
  void logger.error(...(parts as [unknown]));
  return host.logLines;
}

test.each([
  ["the secret of the account", "bad the-app-secret here", "bad [secret] here"],
  ["tenant tokens", "use t-g1044ghJRUIJJ5ELPB now", "use [secret] now"],
  ["bearer headers", "sent Bearer abc.def-1", "sent [secret]"],
  [
    "tickets of addresses",
    "get ws://x/callback/ws?device_id=1&ticket=abc&service_id=2",
    "get ws://x/callback/ws?device_id=1&ticket=[secret]&service_id=2",
  ],
])("%s are masked", (_, line, expected) => {
  expect(logged(["[ws]", line])).toEqual([JSON.stringify({ level: "warn", message: "feishu sdk", detail: `[ws] ${expected}` })]);
});

test("objects are left out: the SDK logs whole requests", () => {
  expect(logged([{ config: { data: "the words of a message" } }, "failed"])[0]).toContain('"detail":"failed"');
});

test("failures of our own requests are not logged twice", () => {
  expect(logged([new PlatformFailure({ type: "not-sent" }, "no way")])).toEqual([]);
});

test("notices are kept low, and long lines short", () => {
  const host = new TestHost();
  void createSdkLogger(host.logger, []).info(["x".repeat(10_000)] as never);
  expect(host.logLines[0]).toContain('"level":"debug"');
  expect(host.logLines[0]?.length).toBeLessThan(2_200);
});
