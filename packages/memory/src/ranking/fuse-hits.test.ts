import { expect, test } from "vitest";
import { fuseHits } from "./fuse-hits.ts";

const DAY = 24 * 60 * 60_000;
const options = {
  weights: new Map([
    ["boiler", 1],
    ["serviced", 1],
    ["karl", 1],
  ]),
  nowMs: 1000 * DAY,
  maxResults: 4,
  minScore: 0,
};
const hit = (path: string, text: string, datedMs?: number) => ({
  path,
  startLine: 1,
  text,
  ...(datedMs === undefined ? {} : { datedMs }),
});
const paths = (hits: readonly { readonly path: string }[]): readonly string[] => hits.map(({ path }) => path);

test("what is first in both lists has a score of 1, and what is in one list only has its share", () => {
  const both = hit("both", "boiler serviced by Karl");
  const words = hit("words", "the boiler and Karl");
  const fused = fuseHits(
    [both, words],
    [
      { ...both, cosine: 0.9 },
      { ...hit("meaning", "the heating"), cosine: 0.8 },
    ],
    options,
  );
  expect(fused.map(({ path, score }) => [path, Math.round(score * 100) / 100])).toEqual([
    ["both", 1],
    ["words", 0.58],
    ["meaning", 0.25],
  ]);
});

test("where no passage has the words of the query together, what is near comes first", () => {
  const words = hit("words", "Karl was here");
  const rare = {
    ...options,
    weights: new Map([
      ["karl", 0.1],
      ["boiler", 5],
      ["serviced", 5],
    ]),
  };
  const near = { ...hit("meaning", "the heating was repaired"), cosine: 0.6 };
  expect(paths(fuseHits([words], [near], rare))).toEqual(["meaning", "words"]);
  const found = { ...words, text: "Karl serviced the boiler" };
  expect(paths(fuseHits([found], [near], rare))).toEqual(["words", "meaning"]);
});

test("what is equally near shares the last place", () => {
  const near = [
    { ...hit("one", "heating"), cosine: 0.7 },
    { ...hit("other", "radiator"), cosine: 0.7 },
    { ...hit("nearest", "furnace"), cosine: 0.8 },
  ];
  const fused = fuseHits<ReturnType<typeof hit>>([], near, options);
  expect(fused.map(({ path, score }) => [path, Math.round(score * 100) / 100])).toEqual([
    ["nearest", 0.6],
    ["one", 0.43],
    ["other", 0.43],
  ]);
});
