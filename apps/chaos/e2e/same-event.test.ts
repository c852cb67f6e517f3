import { describe, expect, test } from "vitest";
import { checkLedger } from "@factotum/testing-chaos";
import type { Product } from "@factotum/testing-product";
import { Scene } from "../src/scene/scene.ts";
import type { Said } from "../src/scene/scene.ts";

const PUSHES = 50;
const STALL_MS = 120_000;

async function pushAtOnce(scene: Scene, said: Said, product: Product): Promise<void> {
  const taken = await Promise.all(Array.from({ length: PUSHES }, async () => scene.push(said, product)));
  expect(taken).toEqual(taken.map(() => true));
}

/** Sends one more message and waits for its answer: by then all work of earlier pushes is done. */
async function expectTurns(scene: Scene, product: Product, count: number): Promise<void> {
  const last = scene.say(0);
  await scene.push(last, product);
  expect(await scene.wire.until(() => scene.isAnswered(last), { stallMs: STALL_MS })).toBe(true);
  expect(scene.feishu.sent).toHaveLength(count + 1);
  expect(checkLedger(scene.ledger())).toMatchObject({ verdicts: [], answered: count + 1 });
  expect(await scene.doubledEffects()).toEqual([]);
  // A turn is a request with the tool's call and one with its result.
  expect(scene.model.requests).toHaveLength(2 * (count + 1));
}

describe(`the same event ${PUSHES} times at once`, { timeout: 600_000 }, () => {
  test("is one turn, during the turn, after it, and after a kill", async () => {
    await using scene = await Scene.start({ conversations: 1 });
    const first = await scene.boot();
    const said = scene.say(0);
    await pushAtOnce(scene, said, first);
    expect(await scene.wire.until(() => scene.isAnswered(said), { stallMs: STALL_MS })).toBe(true);
    await pushAtOnce(scene, said, first);
    await first.end("SIGKILL");
    const second = await scene.boot();
    await pushAtOnce(scene, said, second);
    await expectTurns(scene, second, 1);
  });

  test("is not retried automatically after a failed turn", async () => {
    await using scene = await Scene.start({ conversations: 1 });
    const product = await scene.boot();
    scene.model.script([{ type: "error", errorType: "authentication", message: "invalid x-api-key" }]);
    const said = scene.say(0);
    await scene.push(said, product);
    expect(await scene.wire.until(() => scene.isAnswered(said), { stallMs: STALL_MS })).toBe(true);
    expect(scene.texts[0]).toContain("refused the key");
    const requests = scene.model.requests.length;
    await pushAtOnce(scene, said, product);
    const last = scene.say(0);
    await scene.push(last, product);
    expect(await scene.wire.until(() => scene.isAnswered(last), { stallMs: STALL_MS })).toBe(true);
    expect(scene.model.requests).toHaveLength(requests + 2);
    expect(checkLedger(scene.ledger())).toMatchObject({ verdicts: [], answered: 2 });
  });
});

describe("ten messages behind an endless turn", { timeout: 600_000 }, () => {
  test.each(["SIGTERM", "SIGKILL"] as const)("after %s all eleven are answered, in order", async (signal) => {
    await using scene = await Scene.start({ conversations: 1 });
    const first = await scene.boot();
    const gate = scene.model.hold();
    const said: Said[] = [];
    for (let index = 0; index < 11; index += 1) {
      const one = scene.say(0);
      expect(await scene.push(one, first)).toBe(true);
      said.push(one);
    }
    await scene.model.nextRequest();
    await first.end(signal);
    gate.open();
    expect(scene.feishu.sent).toEqual([]);
    await scene.boot();
    expect(await scene.wire.until(() => scene.isAnswered(...said), { stallMs: STALL_MS })).toBe(true);
    expect(checkLedger(scene.ledger())).toMatchObject({ verdicts: [], answered: 11 });
    expect(scene.texts.map((text) => /input-\d+/.exec(text)?.[0])).toEqual(said.map(({ id }) => id));
  });
});
