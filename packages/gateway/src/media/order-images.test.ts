import fc from "fast-check";
import { expect, test } from "vitest";
import { orderImages, type ImageSource } from "./order-images.ts";

const sources = fc.array(fc.constantFrom<ImageSource>("inline", "offloaded"), { maxLength: 12 });
const references = fc.nat({ max: 5 }).map((count) => Array.from({ length: count }, (_, index) => `reference ${index}`));

test("with an order of sending, images follow it exactly, references last", () => {
  fc.assert(
    fc.property(sources, references, (imageOrder, named) => {
      const sent = imageOrder.map((source, index) => ({ source, name: `image ${index}` }));
      const of = (wanted: ImageSource): string[] => sent.filter(({ source }) => source === wanted).map(({ name }) => name);
      expect(orderImages({ inline: of("inline"), offloaded: of("offloaded"), references: named, imageOrder })).toEqual([
        ...sent.map(({ name }) => name),
        ...named,
      ]);
    }),
  );
});

test("without it inline images come before offloaded ones", () => {
  expect(orderImages({ inline: ["a", "b"], offloaded: ["c"], references: ["d"] })).toEqual(["a", "b", "c", "d"]);
});

test("every image comes exactly once, for any order", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.uniqueArray(fc.string()), sources, (inline, offloaded, imageOrder) => {
      const ordered = orderImages({ inline, offloaded, references: [], imageOrder });
      expect(ordered.toSorted()).toEqual([...inline, ...offloaded].toSorted());
    }),
  );
});
