import { expect, test } from "vitest";
import { senderIdProblem } from "./index.ts";

test.each(["*", "account:alice", "nick:{a}|^"])("%s can match", (id) => {
  expect(senderIdProblem(id)).toBeUndefined();
});

test.each(["alice", "account:", "account:a b", "account:Alice", "user:alice", "Alice!a@host"])("%s matches nobody", (id) => {
  expect(senderIdProblem(id)?.message).toContain("matches nobody");
});
