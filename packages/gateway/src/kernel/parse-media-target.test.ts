import { expect, test } from "vitest";
import { parseMediaTarget } from "./parse-media-target.ts";

test.each(["a.png", "./out/a b.png", "out/../a.png", "图/一.png", "..a/b.png", "a..b"])("%j is a path in the workspace", (text) => {
  expect(parseMediaTarget(` ${text} `)).toEqual({ type: "path", path: text });
});

test.each(["https://example.com/a.png", "HTTP://example.com/a"])("%j is an address", (text) => {
  expect(parseMediaTarget(text)).toEqual({ type: "url", url: text });
});

test.each([
  "/etc/passwd",
  "//server/share/a.png",
  "\\\\server\\share\\a.png",
  "~/a.png",
  "~root/a.png",
  "file:///etc/passwd",
  "file:a.png",
  "data:text/plain,a",
  "media://inbound/0123456789abcdef0123456789abcdef",
  "C:\\a.png",
  "../a.png",
  "out/../../a.png",
  "out\\..\\..\\a.png",
  "..",
  "",
  "a\0b",
  "a".repeat(5_000),
])("%j is refused", (text) => {
  expect(parseMediaTarget(text).type).toBe("refused");
});
