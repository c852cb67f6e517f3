import { expect, test } from "vitest";
import { renderTable } from "./render-table.ts";

test("each measured figure is a row with its target, the result, the floor and the ratio", () => {
  const table = renderTable({
    turnP50: { value: 4.2, floor: 0.6, ratio: 7 },
    rate16: { value: 380, floor: 1520, ratio: 4 },
    hello: { value: 18_204 },
  });
  const [header, , ...rows] = table.split("\n").map((line) => line.split(/ {2,}/));
  expect(header).toEqual(["figure", "Factotum", "target", "floor", "× floor"]);
  expect(rows).toEqual([
    ["hello request", "18,204 bytes", "≤ 20,000 bytes", "ok"],
    ["gateway time of a turn, p50", "4.20 ms", "≤ 5.00 ms", "ok", "0.60 ms", "7.00"],
    ["16 sessions at once", "380 turns/s", "≥ 400 turns/s", "MISSED", "1,520 turns/s", "4.00"],
  ]);
});

test("the peer has columns if it was measured, with a dash for missing figures", () => {
  const table = renderTable({ start: { value: 250 }, hello: { value: 1 } }, { peer: { start: { value: 9500 } } });
  const [header, , start, hello] = table.split("\n");
  expect(header).toMatch(/peer +× better +wanted$/);
  expect(start).toMatch(/9,500 ms +38\.0 +19\.0$/);
  expect(hello).toMatch(/–$/);
});

test("a time target counts as reached on a slower machine by the required lead over the peer", () => {
  const verdictOf = (value: number, peer: number): string | undefined =>
    renderTable({ turnP50: { value } }, { peer: { turnP50: { value: peer } } })
      .split("\n")[2]
      ?.split(/ {2,}/)[3];
  expect(verdictOf(5, 1)).toBe("ok");
  expect(verdictOf(10, 426)).toBe("ok by ratio");
  expect(verdictOf(10, 425)).toBe("MISSED");
});

test("another build in place of the floor has its own title", () => {
  const [header] = renderTable({ start: { value: 250, floor: 200, ratio: 1.25 } }, { floor: "other" }).split("\n");
  expect(header).toMatch(/other +× other$/);
});

test("for a rate the lead is inverted", () => {
  const [, , row] = renderTable({ rate16: { value: 208 } }, { peer: { rate16: { value: 2 } } }).split("\n");
  expect(row).toMatch(/ok by ratio.* 104\.0 +103\.9$/);
});

test("columns are aligned", () => {
  const [header = "", , row = ""] = renderTable({ start: { value: 120, floor: 40, ratio: 3 } }).split("\n");
  expect(row.indexOf("3.00") + 4).toBe(header.indexOf("× floor") + "× floor".length);
});
