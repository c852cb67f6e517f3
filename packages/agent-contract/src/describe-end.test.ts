import { expect, test } from "vitest";
import { describeEnd, type CommandResult } from "./index.ts";

const exited = { end: { type: "exited", exitCode: 1 } } as CommandResult;

test.each([
  ["", "it has ended"],
  ["starting\nloading\nno licence found\nask for one\n", "it has ended (loading no licence found ask for one)"],
  [
    "node:internal/modules/cjs/loader:1568\n  throw err;\n  ^\n\nError: Cannot find module '/srv/x.js'\n    at Module.load (node:internal:1:2) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v24.21.0\n",
    "it has ended (Error: Cannot find module '/srv/x.js')",
  ],
  ["TypeError: of an earlier time\nlistening\nstopped", "it has ended (TypeError: of an earlier time listening stopped)"],
])("the end of a process is told with its last words", (said, told) => {
  expect(describeEnd(exited, said)).toBe(told);
});

test("a limit is told without them", () => {
  const end = { type: "over-limit", limit: "memory", used: 3, allowed: 2 };
  expect(describeEnd({ end } as unknown as CommandResult, "words")).toBe("it was ended, because it used more memory than it may (3 of 2)");
});
