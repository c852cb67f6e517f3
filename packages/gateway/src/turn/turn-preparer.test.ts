import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import { createTurnParts } from "../engine/turn-parts.ts";

test("a turn of an owner who was struck off meanwhile goes on as a tainted one that is not the owner's", async () => {
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
  const goOn = () => createTurnParts(engine.parts).preparer.prepareResumed(begun, { signal: new AbortController().signal });
  expect(await goOn()).toMatchObject({ turn: { owner: true }, facts: { owner: true }, tainted: false });

  const { config } = engine.parts.running;
  await running.gateway.reload(running.settings({ ...config, commands: { ...config.commands, ownerAllowFrom: ["test:other"] } }));
  expect(await goOn()).toMatchObject({ turn: { owner: false }, facts: { owner: false }, tainted: true });
  gate.open();
  await engine.idle();
});
