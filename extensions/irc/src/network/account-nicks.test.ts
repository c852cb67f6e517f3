import { TestHost } from "@factotum/channel-conformance";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { AccountNicks } from "./account-nicks.ts";

const DAY_MS = 24 * 60 * 60_000;

test("a nickname is stored again after a day, so that it expires 90 days after the last message", () => {
  const clock = new ManualClock(0);
  const nicks = new AccountNicks(new TestHost({ clock }));
  const learn = (): unknown => nicks.learn({ type: "account", name: "alice" }, "al");
  expect(learn()).toMatchObject([{ key: "nick/alice", expiresAtMs: 90 * DAY_MS }]);
  clock.advance(DAY_MS - 1);
  expect(learn()).toEqual([]);
  clock.advance(1);
  expect(learn()).toMatchObject([{ key: "nick/alice", expiresAtMs: 91 * DAY_MS }]);
});

test("at most 1,000 accounts are in memory", () => {
  const nicks = new AccountNicks(new TestHost({ clock: new ManualClock(0) }));
  const learn = (name: string): unknown => nicks.learn({ type: "account", name }, name);
  for (let count = 0; count <= 1_000; count += 1) learn(`person${count}`);
  expect(learn("person1")).toEqual([]);
  expect(learn("person0")).toHaveLength(1);
});
