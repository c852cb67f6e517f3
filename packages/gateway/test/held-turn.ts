import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { TurnRecord } from "@factotum/store";
import { startTestGateway, TestPlatform, withModel } from "./gateway-harness.ts";
import type { TestGateway } from "./gateway-harness.ts";

/** A gateway whose owner's turn has started and waits for its model. */
export interface HeldTurn extends AsyncDisposable {
  readonly running: TestGateway;
  readonly begun: TurnRecord;
}

/** Starts a turn of the owner whose model answers once the scene is disposed of. */
export async function holdTurn(): Promise<HeldTurn> {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startAnthropicServer());
  server.respond(() => textReply("Well."));
  const platform = new TestPlatform();
  const running = parts.use(
    await startTestGateway({ platform, patch: withModel(server.baseUrl), accountConfig: { allowFrom: ["owner-1"] } }),
  );
  const gate = server.hold();
  parts.defer(async () => {
    gate.open();
    await running.gateway.engine.idle();
  });
  await platform.say(platform.message("go on"));
  await server.nextRequest();
  const begun = await running.store.findTurn((await running.store.readSession("agent:main:main"))?.sessionId ?? "", 1);
  if (begun === undefined) throw new Error("no turn has begun");
  const scene = parts.move();
  return { running, begun, [Symbol.asyncDispose]: async () => scene.disposeAsync() };
}
