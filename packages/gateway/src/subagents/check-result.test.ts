import { expect, test } from "vitest";
import { checkResult, schemaProblem } from "./check-result.ts";

const SCHEMA = { type: "object", properties: { count: { type: "number" } }, required: ["count"] } as const;

test.each([
  ['{"count": 3}', '{"count":3}'],
  ['```json\n{"count": 3}\n```', '{"count":3}'],
  ['\n```\n{ "count": 3, "more": [1] }\n```\n', '{"count":3,"more":[1]}'],
])("%j fits", (text, json) => {
  expect(checkResult(text, SCHEMA)).toEqual({ type: "fits", json });
});

test.each([
  ["three", /no JSON/],
  ["", /no JSON/],
  ['{"count": "3"}', /^count: /],
  ["[]", /^the value: /],
])("%j does not, and says why", (text, problem) => {
  expect(checkResult(text, SCHEMA)).toEqual({ type: "misfit", problem: expect.stringMatching(problem) as string });
});

test("a schema that cannot be used is recognised", () => {
  expect(schemaProblem(SCHEMA)).toBeUndefined();
  expect(schemaProblem({ type: "no such type" })).toMatch(/type/);
});
