import { describe, expect, test } from "vitest";
import { LoopDetector } from "./loop-detector.ts";

const step = (detector: LoopDetector, name: string, result = "same", args: Record<string, string> = {}): string =>
  detector.record({ id: "any", name, arguments: args }, { content: [{ type: "text", text: result }], isError: false }).type;
const steps = (names: string): string[] => {
  const detector = new LoopDetector();
  return names.split("").map((name) => step(detector, name));
};

describe("LoopDetector", () => {
  test("adds a note at the third equal call, and reports a loop at the fifth", () => {
    expect(steps("aaaaa")).toEqual(["none", "none", "repeating", "repeating", "loop"]);
  });

  test.each(["ab", "abc", "abcd"])("the cycle %s: a note after the third round, a loop after the fourth", (cycle) => {
    const seen = steps(cycle.repeat(4));
    expect(seen.indexOf("repeating")).toBe(3 * cycle.length - 1);
    expect(seen.indexOf("loop")).toBe(4 * cycle.length - 1);
  });

  test.each(["abcde".repeat(8), "aabaab", "abacadaeaf"])("%s is not a loop", (names) => {
    expect(steps(names)).not.toContain("loop");
  });

  test("restarts on another result, other arguments or a failure", () => {
    const detector = new LoopDetector();
    for (let count = 0; count < 20; count++) expect(step(detector, "poll", `line ${count}`)).toBe("none");
    for (let count = 0; count < 20; count++) expect(step(detector, "read", "same", { offset: `${count}` })).toBe("none");
    for (let count = 0; count < 4; count++) step(detector, "ls");
    const failed = { content: [{ type: "text", text: "same" } as const], isError: true };
    expect(detector.record({ id: "any", name: "ls", arguments: {} }, failed).type).toBe("none");
  });

  test("resets", () => {
    const detector = new LoopDetector();
    for (let count = 0; count < 4; count++) step(detector, "ls");
    detector.reset();
    expect(step(detector, "ls")).toBe("none");
  });
});
