import { expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";
import { WebhookIntake } from "./webhook-intake.ts";

test("an idempotency key is accepted once, and is not stored as it is", async () => {
  await using running = await startTestGateway({ platform: new TestPlatform() });
  const { engine } = running.gateway;
  const intake = new WebhookIntake({
    ...engine.parts,
    intake: { submit: async (message, admission) => engine.submit(message, admission) },
    schedule: engine.schedule,
  });
  const accept = async (body: string): Promise<string> => {
    const work = {
      type: "wake",
      name: "wake",
      payload: body,
      wakeMode: "next-heartbeat",
      deliver: "none",
      idempotencyKey: "Anna's order",
    } as const;
    const outcome = await intake.accept(work, { scope: "wake", body: Buffer.from(body) });
    return outcome.type === "accepted" ? outcome.runId : outcome.type;
  };
  const runId = await accept("one");
  expect([await accept("one"), await accept("two")]).toEqual([runId, "conflict"]);
  expect(JSON.stringify(await engine.parts.store.readInput(runId))).not.toContain("Anna");
});
