import type { LogEntry } from "@factotum/protocol";
import { expect, test } from "vitest";
import { MAX_LINES, NO_LINES, withPart } from "./log-lines.ts";

const entry = (message: string): LogEntry => ({ level: "info", source: "gateway", message, fields: [] });
const textsOf = ({ lines }: ReturnType<typeof withPart>) => lines.map((line) => (line.type === "gap" ? "gap" : line.entry.message));

test("the newest line is first, and a gap stands between what is known", () => {
  const first = withPart(NO_LINES, { lines: [entry("a"), entry("b")], cursor: "1:2" }, undefined);
  const second = withPart(first, { lines: [entry("d")], cursor: "1:4", missed: true }, "1:2");
  expect(textsOf(second)).toEqual(["d", "gap", "b", "a"]);
  expect(second.cursor).toBe("1:4");
  expect(new Set(second.lines.map(({ key }) => key)).size).toBe(4);
});

test("the page holds a bounded number of lines, whatever comes", () => {
  let all = NO_LINES;
  for (let part = 0; part < 20; part += 1)
    all = withPart(all, { lines: Array.from({ length: 60 }, (_, index) => entry(`${part} ${index}`)), cursor: `1:${part}` }, all.cursor);
  expect(all.lines).toHaveLength(MAX_LINES);
  expect(textsOf(all)[0]).toBe("19 59");
});

test("a part without lines changes no list, so that nothing is drawn again", () => {
  const first = withPart(NO_LINES, { lines: [entry("a")], cursor: "1:2" }, undefined);
  expect(withPart(first, { lines: [], cursor: "1:3" }, "1:2")).toMatchObject({ cursor: "1:3" });
  expect(withPart(first, { lines: [], cursor: "1:3" }, "1:2").lines).toBe(first.lines);
});

test("of two answers to the same question, the second adds nothing", () => {
  const first = withPart(NO_LINES, { lines: [entry("a")], cursor: "1:2" }, undefined);
  const second = withPart(first, { lines: [entry("b")], cursor: "1:3" }, "1:2");
  expect(withPart(second, { lines: [entry("b"), entry("c")], cursor: "1:4" }, "1:2")).toEqual(second);
});
