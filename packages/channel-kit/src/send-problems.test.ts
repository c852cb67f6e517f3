import { expect, test } from "vitest";
import { filesProblem, fitKey, reasonOf, textProblem } from "./index.ts";

const never = { type: "never" };
const file = (length: number): { readonly bytes: Uint8Array } => ({ bytes: new Uint8Array(length) });

test("a text is refused if it is blank or too long", () => {
  expect(textProblem(" \n", { maxLength: 5 })).toMatchObject({ code: "rejected", retry: never, message: "the text is empty" });
  expect(textProblem("👍👍", { maxLength: 4 })).toBeUndefined();
  expect(textProblem("👍👍", { maxLength: 3 })).toMatchObject({
    code: "too-long",
    retry: never,
    message: "the text has more than 3 characters",
  });
  expect(textProblem("👍👍", { maxLength: 2, unit: "code-points" })).toBeUndefined();
  expect(textProblem("👍👍", { maxLength: 7, unit: "bytes" })).toMatchObject({ message: "the text has more than 7 bytes" });
});

test("a caption may be empty, and no longer than a text", () => {
  expect(textProblem("", { maxLength: 1, mayBeEmpty: true })).toBeUndefined();
  expect(textProblem("ab", { maxLength: 1, mayBeEmpty: true })).toMatchObject({ code: "too-long" });
});

test("files are refused if one is missing, empty, too large or too many", () => {
  const bounds = { maxBytes: 3, maxFiles: 2 };
  expect(filesProblem([file(3), file(1)], bounds)).toBeUndefined();
  for (const files of [[], [file(1), file(0)]])
    expect(filesProblem(files, bounds)).toMatchObject({ code: "rejected", retry: never, message: "the file is empty" });
  expect(filesProblem([file(1), file(1), file(1)], bounds)).toMatchObject({ code: "too-long", retry: never, message: "more than 2 files" });
  expect(filesProblem([file(1), file(4)], bounds)).toMatchObject({
    code: "too-long",
    message: expect.stringContaining("3 bytes") as string,
  });
  expect(filesProblem([file(2 * 1024 * 1024 + 1)], { maxBytes: 2 * 1024 * 1024 })).toMatchObject({
    message: expect.stringContaining("2 MiB") as string,
  });
  expect(filesProblem([file(1), file(1)], { maxBytes: 1 })).toMatchObject({ message: "more than 1 files" });
});

test("a key that fits is kept, and another becomes its hash", () => {
  expect(fitKey("k".repeat(20), 20)).toBe("k".repeat(20));
  const [one, other] = [`${"k".repeat(20)}1`, `${"k".repeat(20)}2`].map((key) => fitKey(key, 20));
  expect(one).toMatch(/^[\w-]{20}$/);
  expect(other).not.toBe(one);
  expect(fitKey(`${"k".repeat(20)}1`, 20)).toBe(one);
});

test("a failure that is no error has no reason", () => {
  expect([reasonOf(new TypeError("it broke")), reasonOf("it broke")]).toEqual(["it broke", "unknown"]);
});
