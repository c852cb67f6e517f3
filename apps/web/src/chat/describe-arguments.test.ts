import { expect, test } from "vitest";
import { describeArguments } from "./describe-arguments.ts";

test("shows the first informative value in the line, and everything in the block", () => {
  expect(describeArguments('{"limit":5,"path":"src/a.ts","pattern":"x"}')).toEqual({
    line: "src/a.ts",
    block: '{\n  "limit": 5,\n  "path": "src/a.ts",\n  "pattern": "x"\n}',
  });
  expect(describeArguments('{"limit":5}').line).toBe('{"limit":5}');
  expect(describeArguments("{}")).toEqual({ line: "", block: "" });
});

test("truncates long values and arguments to a line", () => {
  const cut = `{"content":"${"word ".repeat(900)}`;
  expect(describeArguments(cut)).toMatchObject({ block: cut });
  expect(describeArguments(cut).line).toHaveLength(120);
  expect(describeArguments('{"command":"a\\n  b"}').line).toBe("a b");
});
