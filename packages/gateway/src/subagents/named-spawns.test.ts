import { expect, test } from "vitest";
import { namedSpawns } from "./named-spawns.ts";

const spawn = (id: string, label?: string): { readonly id: string; readonly label?: string; readonly childKey: string } => ({
  id,
  childKey: `agent:main:subagent:${id}`,
  ...(label === undefined ? {} : { label }),
});
const LISTED = [spawn("abcd-1", "Keeper"), spawn("abcd-2", "keeper"), spawn("beef-3", "9"), spawn("1234-4")];

test.each<[string, readonly string[]]>([
  ["1", ["abcd-1"]],
  [" #3 ", ["beef-3"]],
  // A label, where the list has no such position.
  ["9", ["beef-3"]],
  ["0", []],
  ["5", []],
  ["1234", ["1234-4"]],
  ["abcd", ["abcd-1", "abcd-2"]],
  ["ABCD-2", ["abcd-2"]],
  // Too short for the beginning of a run id.
  ["bee", []],
  ["keeper", ["abcd-1", "abcd-2"]],
  ["agent:main:subagent:beef-3", ["beef-3"]],
  ["", []],
])("%j names %j", (named, ids) => {
  expect(namedSpawns(named, LISTED).map(({ id }) => id)).toEqual(ids);
});
