import { expect, test } from "vitest";
import { admittingCommand, RefusedSenders, type RefusedParty } from "./refused-senders.ts";

const party = (id: string, type: RefusedParty["type"] = "sender"): RefusedParty => ({ channel: "test", accountId: "work", type, id });

test("counts each party, newest first, and reports which are new", () => {
  const refused = new RefusedSenders();
  expect([
    refused.record(party("a"), 1),
    refused.record(party("b"), 2),
    refused.record(party("a", "group"), 3),
    refused.record(party("a"), 4),
  ]).toEqual([true, true, true, false]);
  expect(refused.list()).toEqual([
    { ...party("a"), count: 2, lastAtMs: 4 },
    { ...party("a", "group"), count: 1, lastAtMs: 3 },
    { ...party("b"), count: 1, lastAtMs: 2 },
  ]);
  expect(refused.total).toBe(4);
});

test("keeps a bounded number of parties, and still counts the others", () => {
  const refused = new RefusedSenders();
  for (let index = 0; index < 1000; index += 1) refused.record(party(`p${index}`), index);
  expect(refused.list()).toHaveLength(200);
  expect(refused.list()[0]?.id).toBe("p999");
  expect(refused.total).toBe(1000);
});

test.each([
  [party("ou_1"), "factotum access allow test:work ou_1"],
  [party("oc_1", "group"), "factotum access allow test:work oc_1 --group"],
  [party("x; rm -rf ~"), undefined],
  [party("$(id)"), undefined],
  [party("a\nb"), undefined],
  [party("--owner"), undefined],
])("%j is admitted by %s", (one, command) => {
  expect(admittingCommand(one)).toBe(command);
});
