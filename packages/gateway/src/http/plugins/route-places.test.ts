import { expect, test } from "vitest";
import { RoutePlaces } from "./route-places.ts";

const client = (address: string, isShared = false): { readonly address: string; readonly isShared: boolean } => ({ address, isShared });
const open = (address: string, pluginId = "site"): Parameters<RoutePlaces["take"]>[0] => ({
  pluginId,
  isPublic: true,
  client: client(address),
});

/** The results of this many calls, one after the other. */
function takeAll(places: RoutePlaces, calls: readonly Parameters<RoutePlaces["take"]>[0][]): readonly (number | "taken")[] {
  return calls.map((call) => {
    const taken = places.take(call);
    return taken.type === "taken" ? "taken" : taken.status;
  });
}

test("one address has four public requests of a plugin at once, unless several clients may share it", () => {
  const places = new RoutePlaces();
  expect(
    takeAll(
      places,
      Array.from({ length: 5 }, () => open("192.0.2.1")),
    ),
  ).toEqual(["taken", "taken", "taken", "taken", 429]);
  expect(takeAll(places, [open("192.0.2.2"), open("192.0.2.1", "other")])).toEqual(["taken", "taken"]);
  const shared = { ...open("127.0.0.1"), client: client("127.0.0.1", true) };
  expect(
    takeAll(
      new RoutePlaces(),
      Array.from({ length: 9 }, () => shared),
    ),
  ).toEqual([...Array.from({ length: 8 }, () => "taken"), 503]);
});

test("the owner's requests are not counted for an address, nor among those of strangers", () => {
  const places = new RoutePlaces();
  const owned = { ...open("192.0.2.1"), isPublic: false };
  expect(
    takeAll(
      places,
      Array.from({ length: 8 }, () => owned),
    ),
  ).not.toContain(429);
  expect(
    takeAll(
      places,
      Array.from({ length: 8 }, (_, index) => open(`192.0.2.${index % 4}`)),
    ),
  ).toEqual(Array.from({ length: 8 }, () => "taken"));
  expect(takeAll(places, [owned, open("192.0.2.9")])).toEqual([503, 503]);
});

test("two plugins serve strangers at once, and others the owner", () => {
  const places = new RoutePlaces();
  const first = places.take(open("192.0.2.1", "a"));
  expect(takeAll(places, [open("192.0.2.1", "b"), open("192.0.2.1", "c"), open("192.0.2.2", "a")])).toEqual(["taken", 503, "taken"]);
  expect(takeAll(places, [{ ...open("192.0.2.1", "c"), isPublic: false }])).toEqual(["taken"]);
  expect(first.type).toBe("taken");
});

test("a place that is given back is free, once", () => {
  const places = new RoutePlaces();
  const held = Array.from({ length: 4 }, () => places.take(open("192.0.2.1")));
  const [one] = held;
  if (one?.type !== "taken") throw new Error("not taken");
  one.place[Symbol.dispose]();
  one.place[Symbol.dispose]();
  expect(takeAll(places, [open("192.0.2.1"), open("192.0.2.1")])).toEqual(["taken", 429]);
});
