import { expect, test } from "vitest";
import { systemRandom } from "./system-clock.ts";

test("random bytes are as many as asked, of their own, and never the same", () => {
  const parts = Array.from({ length: 2_000 }, () => systemRandom.bytes(16));
  expect(new Set(parts.map((bytes) => Buffer.from(bytes).toString("hex"))).size).toBe(2_000);
  for (const count of [0, 1, 1_024, 1_025, 4_096, 10_000]) expect(systemRandom.bytes(count)).toHaveLength(count);
  const [first, second] = [systemRandom.bytes(8), systemRandom.bytes(8)];
  const before = Buffer.from(second).toString("hex");
  first.fill(0);
  expect(Buffer.from(second).toString("hex")).toBe(before);
});
