import { expect, test } from "vitest";
import { lineOf, numberSnapshot, parseRef } from "./page-snapshot.ts";

const RAW = [
  "- generic [ref=e2]:",
  '  - link "More" [ref=e3] [cursor=pointer]:',
  "    - /url: /next?a=1",
  '  - link "Far" [ref=e4]:',
  '    - /url: "https://other.example/x y"',
  "  - iframe [ref=e5]:",
  '    - link "Inner" [ref=f1e2]:',
  "      - /url: /inner",
  '  - link "After" [ref=e6]:',
  "    - /url: ../up",
  "  - text: see [ref=e99] here",
].join("\n");

test("refs name their snapshot, and addresses can be opened as they stand there", () => {
  const { text } = numberSnapshot(7, RAW, "https://public.example/a/b");
  expect(text.split("\n")).toEqual([
    "- generic [ref=s7e2]:",
    '  - link "More" [ref=s7e3] [cursor=pointer]:',
    "    - /url: https://public.example/next?a=1",
    '  - link "Far" [ref=s7e4]:',
    "    - /url: https://other.example/x%20y",
    "  - iframe [ref=s7e5]:",
    '    - link "Inner" [ref=s7f1e2]:',
    "      - /url: /inner",
    '  - link "After" [ref=s7e6]:',
    "    - /url: https://public.example/up",
    "  - text: see [ref=s7e99] here",
  ]);
});

test("shows an element to people", () => {
  const snapshot = numberSnapshot(7, RAW, "https://public.example/");
  expect(lineOf(snapshot, "s7e3")).toBe('link "More"');
  expect(lineOf(snapshot, "s7f1e2")).toBe('link "Inner"');
  expect(lineOf(snapshot, "s7e30")).toBeUndefined();
});

test.each([
  ["s7e3", { snapshot: 7, element: "e3" }],
  ["[ref=s12f1e2]", { snapshot: 12, element: "f1e2" }],
  ["e3", undefined],
  ["s7e3 >> css=body", undefined],
  ["s7", undefined],
  ["", undefined],
])("the ref %j", (text, expected) => {
  expect(parseRef(text)).toEqual(expected);
});
