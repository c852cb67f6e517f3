import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";

test("messages of a turn to an account that was removed wait for it, with files by name", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  const gate = server.hold();
  const first = await startTestGateway({ platform, patch });
  await platform.say(platform.message("hello"));
  await server.nextRequest();
  await first.stop();
  const again = server.hold();
  gate.open();
  server.respond(() => textReply("Here I am.\nMEDIA: report.pdf"));
  const second = await startTestGateway({ home: first.home, patch });
  const ended = Promise.withResolvers<void>();
  using _ended = second.gateway.engine.parts.events.subscribe(SESSION, ({ type }) => {
    if (type === "run-end") ended.resolve();
  });
  again.open();
  await ended.promise;
  expect(await second.store.listPendingOutbound({ limit: 10 })).toMatchObject([{ target: { channel: "test" } }]);
  await second.stop();
  await using third = await startTestGateway({ platform, home: first.home, patch });
  await platform.waitForSends(1);
  await third.gateway.engine.idle();
  expect(platform.sent).toMatchObject([{ outbound: { text: expect.stringMatching(/^Here I am\.\n\n📎 report\.pdf/) } }]);
});
