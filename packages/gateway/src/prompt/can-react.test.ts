import { expect, test } from "vitest";
import { canReact } from "./can-react.ts";

const message = (action: object): Parameters<typeof canReact>[0][number] => ({
  name: "message",
  parameters: { type: "object", properties: { action: { type: "string", ...action } } },
});

test.each([
  [[], false],
  [[message({ enum: ["send"] })], false],
  [[message({ enum: ["send", "react"] })], true],
  [[message({ const: "react" })], true],
  [[{ ...message({ enum: ["react"] }), name: "other" }], false],
])("what the message tool accepts: %#", (tools, expected) => {
  expect(canReact(tools)).toBe(expected);
});
