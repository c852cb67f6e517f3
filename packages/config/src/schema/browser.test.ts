import { expect, test } from "vitest";
import { BrowserConfigSchema } from "./browser.ts";

test("is off, headless, and closed by default", () => {
  expect(BrowserConfigSchema.parse({})).toEqual({
    enabled: false,
    headless: true,
    allowPrivate: [],
    profiles: [],
    guests: false,
    evaluate: false,
    maxTabs: 8,
    maxMemoryMb: 2048,
  });
});

test.each([
  ["allow", "example.com", true],
  ["allow", "*.example.com", true],
  ["allow", "192.0.2.7", true],
  ["allow", "https://example.com", false],
  ["allow", "example.com/path", false],
  ["allow", "*", false],
  ["allow", "exam*.com", false],
  ["allow", "", false],
  ["allowPrivate", "nas.lan:8080", true],
  ["allowPrivate", "http://nas.lan", false],
  ["profiles", "shopping-2", true],
  ["profiles", "../other", false],
  ["profiles", "Shopping", false],
])("%s %j: %s", (key, value, isValid) => {
  expect(BrowserConfigSchema.safeParse({ [key]: [value] }).success).toBe(isValid);
});

test("the program is an absolute path", () => {
  expect(BrowserConfigSchema.safeParse({ executable: "/usr/bin/chromium" }).success).toBe(true);
  expect(BrowserConfigSchema.safeParse({ executable: "chromium" }).error?.issues[0]?.message).toContain("an absolute path is expected");
});
