import { expect, test } from "vitest";
import { ShownGroups } from "./shown-groups.ts";

test("a group is shown in a conversation when it is new there or has changed, and never for a message without one", () => {
  const groups = new ShownGroups();
  const lunch = { group: { subject: "Lunch" } };
  expect(groups.shows("s1", {})).toBe(false);
  expect([groups.shows("s1", lunch), groups.shows("s1", lunch), groups.shows("s2", lunch)]).toEqual([true, false, true]);
  expect(groups.shows("s1", { group: { subject: "Dinner" } })).toBe(true);
});
