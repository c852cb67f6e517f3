import { expect, test } from "vitest";
import { senderIdProblem } from "./index.ts";

test.each(["ou_881e", "*"])("%s can match a sender", (id) => {
  expect(senderIdProblem(id)).toBeUndefined();
});

test.each([
  ["on_881e", "a union id"],
  ["oc_881e", "the id of a chat"],
  ["881e", "not an open id"],
  ["оu_881e", "not an open id"],
])("%s matches no one: it is %s", (id, kind) => {
  expect(senderIdProblem(id)).toEqual({ message: expect.stringContaining(kind) as string, fix: expect.stringContaining("ou_") as string });
});
