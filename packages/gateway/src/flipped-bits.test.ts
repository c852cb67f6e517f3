import { afterAll, beforeAll, expect, test } from "vitest";
import { FlipScene } from "../test/flip-scene.ts";
import type { FlipPlace } from "../test/flip-scene.ts";

/** The header is small, and refuses only some. */
const FLIPS: Readonly<Record<FlipPlace, number>> = { header: 40, pages: 20, payloads: 20, anywhere: 20, log: 20 };
const SEED = 20_261_122;

/** The advice of a refused start. */
const ADVICE = /factotum backup restore|Move it away|Install the newer/;

let scene: FlipScene;
beforeAll(async () => (scene = await FlipScene.start()));
afterAll(() => scene[Symbol.asyncDispose]());

/** How often each place must have shown its effect: a store that cannot be opened, one that is restored, a message left out. */
const EXPECTED: Readonly<Record<FlipPlace, { readonly refused: number; readonly restored: number; readonly leftOut: number }>> = {
  header: { refused: 1, restored: 3, leftOut: 0 },
  pages: { refused: 0, restored: 0, leftOut: 0 },
  payloads: { refused: 0, restored: 0, leftOut: 4 },
  anywhere: { refused: 0, restored: 0, leftOut: 0 },
  log: { refused: 0, restored: 0, leftOut: 0 },
};

test.each(Object.entries(EXPECTED))(
  `flipped bits in the store (%s): nothing damaged is shown, and the conversation is notified and continues, or the error says what to do`,
  { timeout: 600_000 },
  async (place, expected) => {
    let state = SEED;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    const seen = { refused: 0, restored: 0, leftOut: 0 };
    for (let flip = 0; flip < FLIPS[place as FlipPlace]; flip += 1) {
      const outcome = await scene.flip(place as FlipPlace, random);
      const { flipped, refusal, errors } = outcome;
      expect(outcome.strangeTexts, flipped).toEqual([]);
      expect(outcome.told.toSorted(), flipped).toEqual([...new Set(outcome.damaged)].toSorted());
      if (refusal !== undefined) expect(refusal, flipped).toMatch(ADVICE);
      // Nothing is lost silently: accepted messages are answered; if the file itself is damaged, people get a notice or the log has the remedy.
      else if (errors.length === 0) expect(outcome.answered, flipped).toEqual(expect.arrayContaining([...outcome.taken]));
      else if (outcome.taken.some((group) => outcome.unheard.includes(group))) expect(errors.join("\n"), flipped).toMatch(ADVICE);
      if (refusal !== undefined) seen.refused += 1;
      if (outcome.isRestored) seen.restored += 1;
      if (outcome.damaged.length > 0) seen.leftOut += 1;
    }
    expect(seen.refused).toBeGreaterThanOrEqual(expected.refused);
    expect(seen.restored).toBeGreaterThanOrEqual(expected.restored);
    expect(seen.leftOut).toBeGreaterThanOrEqual(expected.leftOut);
  },
);
