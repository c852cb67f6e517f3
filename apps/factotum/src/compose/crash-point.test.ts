import type { Logger } from "@factotum/agent-contract";
import { CRASH_POINTS } from "@factotum/gateway";
import { expect, test } from "vitest";
import { crashPointFrom } from "./crash-point.ts";

const said: string[] = [];
const note = (message: string): void => void said.push(message);
const LOGGER: Logger = { debug: note, info: note, warn: note, error: note, child: () => LOGGER };

test("without the variable there is no hook", () => {
  expect(crashPointFrom({ FACTOTUM_HOME: "/home/ada" }, LOGGER)).toEqual({});
  expect(said).toEqual([]);
});

test("kills once, at the n-th pass of its point", () => {
  let kills = 0;
  const { crashPoint } = crashPointFrom({ FACTOTUM_CRASH_AT: "mid-tool:2" }, LOGGER, () => (kills += 1));
  expect(said).toEqual(["This gateway is made to crash"]);
  for (const point of CRASH_POINTS) crashPoint?.(point);
  expect(kills).toBe(0);
  crashPoint?.("mid-tool");
  expect(kills).toBe(1);
  crashPoint?.("mid-tool");
  expect(kills).toBe(1);
});

test.each(["", "1", "mid-tool", "mid-tool:", "mid-tool:0", "mid-tool:-1", "mid-tool:1.5", "mid-tool:1 ", "somewhere:1"])(
  'the start is refused for "%s": nothing would crash',
  (value) => {
    expect(() => crashPointFrom({ FACTOTUM_CRASH_AT: value }, LOGGER)).toThrow("no such crash point");
  },
);
