import { expect, test } from "vitest";
import { nearestName } from "./index.ts";

test("the nearest name allows one edit for three characters", () => {
  expect(nearestName("prot", ["port", "bind"])).toBe("port");
  expect(nearestName("PORT", ["port"])).toBe("port");
  expect(nearestName("timeoutSecond", ["timeoutSeconds", "timeZone"])).toBe("timeoutSeconds");
  expect(nearestName("xyz", ["port", "bind"])).toBeUndefined();
  expect(nearestName("x", ["ab"])).toBeUndefined();
  expect(nearestName("", ["a"])).toBeUndefined();
});
