import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { createTurnParts } from "../engine/turn-parts.ts";

test("a misplaced turn that cannot be ended is kept, and keeps no other from being looked at", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Well."));
  const platform = new TestPlatform();
  await using running = await startTestGateway({ platform, patch: withModel(server.baseUrl), accountConfig: { allowFrom: ["owner-1"] } });
  const { engine } = running.gateway;
  const gate = server.hold();
  await platform.say(platform.message("go on"));
  await server.nextRequest();
  const begun = await running.store.findTurn((await running.store.readSession("agent:main:main"))?.sessionId ?? "", 1);
  if (begun === undefined) throw new Error("no turn has begun");
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
  gate.open();
  await engine.idle();
});
