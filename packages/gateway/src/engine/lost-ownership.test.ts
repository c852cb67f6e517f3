import { StoreError } from "@factotum/store";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withMethods, withModel } from "../../test/gateway-harness.ts";

test.each([
  {
    outcome: "shuts the gateway down",
    code: "lost-ownership",
    expected: ["another gateway has taken over this state directory"],
    sent: [],
  },
  { outcome: "is retried", code: "internal", expected: [], sent: ["Done."] },
] as const)("a turn whose write fails with $code $outcome", async ({ code, expected, sent }) => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Done."));
  const platform = new TestPlatform();
  let fails = true;
  const around = withMethods((store) => ({
    startTurnOptimistic: async (turn) => {
      if (!fails) return store.startTurnOptimistic(turn);
      throw new StoreError(code, "This write was refused.");
    },
    startTurn: async (turn) => {
      if (!fails) return store.startTurn(turn);
      fails = false;
      throw new StoreError(code, "This write was refused.");
    },
  }));
  const requests: string[] = [];
  await using running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    around,
    onShutdownRequest: (reason) => void requests.push(reason),
  });
  await platform.say(platform.message("one"));
  await running.gateway.engine.idle();
  expect(requests).toEqual(expected);
  expect(platform.sent.map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""))).toEqual(sent);
});
