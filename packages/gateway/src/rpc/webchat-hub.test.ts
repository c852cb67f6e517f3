import { expect, test } from "vitest";
import { startTestGateway } from "../../test/gateway-harness.ts";
import { WebchatHub } from "./webchat-hub.ts";

const KEY = "agent:main:main";

test("a repeated delivery is shown once: after a hundred others, after a reset, after a restart", async () => {
  const first = await startTestGateway();
  const { parts, sessions } = first.gateway.engine;
  const hub = new WebchatHub();
  hub.connect(parts);
  const delivery = { type: "text", sessionKey: KEY, text: "Your parcel is here.", idempotencyKey: "delivery-1" } as const;
  const shown: string[] = [];
  parts.events.subscribe(KEY, (event) => {
    if (event.type === "entry") shown.push(event.entry.id);
  });
  const { entryId } = await hub.deliver(delivery);
  for (let count = 0; count < 120; count += 1) await hub.deliver({ ...delivery, text: `other ${count}`, idempotencyKey: `other-${count}` });
  expect(await hub.deliver(delivery)).toEqual({ entryId });
  expect(await Promise.all([hub.deliver(delivery), hub.deliver(delivery)])).toEqual([{ entryId }, { entryId }]);
  expect(new Set(shown).size).toBe(121);
  expect(shown).toHaveLength(121);
  const { entries } = await sessions.history(KEY, { limit: 200 });
  // The words of a model, which the page does not translate.
  expect(entries[0]).toMatchObject({ blocks: [{ type: "quote", text: "Your parcel is here." }] });
  expect(entries).toHaveLength(121);

  await sessions.reset(KEY, { reason: "a new one" });
  expect(await hub.deliver(delivery)).toEqual({ entryId });
  await first.stop();
  await using second = await startTestGateway({ home: first.home });
  const later = new WebchatHub();
  later.connect(second.gateway.engine.parts);
  expect(await later.deliver(delivery)).toEqual({ entryId });
  expect((await second.gateway.engine.sessions.history(KEY, { limit: 9 })).entries).toEqual([]);
});

test("a delivery that creates a session assigns it to the agent in its key", async () => {
  await using running = await startTestGateway();
  const hub = new WebchatHub();
  hub.connect(running.gateway.engine.parts);
  for (const sessionKey of ["agent:helper:main", "global"])
    await hub.deliver({ type: "text", sessionKey, text: "Hello.", idempotencyKey: sessionKey });
  expect(await running.store.readSession("agent:helper:main")).toMatchObject({ agentId: "helper" });
  expect(await running.store.readSession("global")).toMatchObject({ agentId: "main" });
});
