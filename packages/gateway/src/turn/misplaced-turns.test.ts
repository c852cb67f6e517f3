import { expect, test } from "vitest";
import { holdTurn } from "../../test/held-turn.ts";
import { createTurnParts } from "../engine/turn-parts.ts";

test("a misplaced turn that cannot be ended is kept, and does not stop others from being checked", async () => {
  await using held = await holdTurn();
  const { running, begun } = held;
  const { engine } = running.gateway;
  const asked: string[] = [];
  const store = new Proxy(engine.parts.store, {
    get(target, name, receiver): unknown {
      if (name !== "readInput") return Reflect.get(target, name, receiver);
      return async (id: string) => {
        asked.push(id);
        throw new Error("the disk is away");
      };
    },
  });
  const { unbegun } = createTurnParts({ ...engine.parts, store });
  const turns = [begun, { ...begun, id: "another" }];
  expect(await unbegun.endAllMisplaced(turns)).toEqual(turns);
  expect(asked).toHaveLength(2);
});
