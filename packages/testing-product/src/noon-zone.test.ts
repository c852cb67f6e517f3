import { expect, test } from "vitest";
import { noonZone } from "./noon-zone.ts";

test("it is noon there at any hour", () => {
  for (let hour = 0; hour < 24; hour += 1) {
    const nowMs = Date.UTC(2026, 2, 29, hour, 59);
    const shown = new Intl.DateTimeFormat("en", { timeZone: noonZone(nowMs), hour: "2-digit", hourCycle: "h23" }).format(nowMs);
    expect(`${hour}: ${shown}`).toBe(`${hour}: 12`);
  }
});
