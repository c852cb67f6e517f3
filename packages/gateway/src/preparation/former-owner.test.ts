import { expect, test } from "vitest";
import { holdTurn } from "../../test/held-turn.ts";
import { createTurnParts } from "../engine/turn-parts.ts";

test("a resumed turn of a former owner continues as a tainted guest turn", async () => {
  await using held = await holdTurn();
  const { running, begun } = held;
  const { engine } = running.gateway;
  const goOn = () => createTurnParts(engine.parts).preparer.prepareResumed(begun, { signal: new AbortController().signal });
  expect(await goOn()).toMatchObject({ turn: { owner: true }, facts: { owner: true }, tainted: false });

  const { config } = engine.parts.running;
  await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:other"] } }));
  expect(await goOn()).toMatchObject({ turn: { owner: false }, facts: { owner: false }, tainted: true });
});
