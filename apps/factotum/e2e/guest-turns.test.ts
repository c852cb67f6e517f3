import { callTools, sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startGuestScene } from "./guest-scene.ts";
import type { GuestScene } from "./guest-scene.ts";

const ANNA = "agent:main:feishu:direct:ou_anna";

/** Resolves once the owner has written in main, and Anna's first message there waits for the model. */
async function leaveAnnaWaiting(scene: GuestScene): Promise<Disposable> {
  await scene.say("ou_owner", "My word is canary-owner.");
  const gate = scene.model.hold();
  await scene.say("ou_anna", "I am canary-anna.", { count: 0 });
  await expect.poll(() => scene.given).toEqual(["canary-owner", "canary-anna"]);
  return { [Symbol.dispose]: () => gate.open() };
}

// `sharedMain` restores the behaviour of earlier versions.
test("a guest's turn in the owner's session restarts in the guest's own after a crash, in order, without the owner's text", async () => {
  await using scene = await startGuestScene({ sharedMain: true });
  {
    using _gate = await leaveAnnaWaiting(scene);
    await scene.say("ou_anna", "And canary-second.", { count: 0 });
    await scene.restart({}, "SIGKILL");
  }
  await scene.waitForSent(4);
  const [, ...after] = scene.sent;
  expect(after).toContainEqual(expect.stringContaining("From now on this conversation is yours alone."));
  expect(after.filter((text) => text.includes("I know"))).toEqual([
    expect.stringContaining("I know: canary-anna."),
    expect.stringContaining("I know: canary-anna canary-second."),
  ]);
  expect((await scene.command("sessions", "list")).stdout).toContain(ANNA);
  await scene.say("ou_owner", "What do you know?");
  expect(scene.given).toEqual(["canary-owner", "canary-anna"]);
});

test("it continues in the owner's session while sharedMain stays", async () => {
  await using scene = await startGuestScene({ sharedMain: true });
  {
    using _gate = await leaveAnnaWaiting(scene);
    await scene.restart({ sharedMain: true }, "SIGKILL");
  }
  await scene.waitForSent(2);
  expect(scene.sent[1]).toContain("I know: canary-owner canary-anna.");
});

test("a guest's turn with visible output is ended, and the guest is asked to send it again", async () => {
  await using scene = await startGuestScene({ sharedMain: true });
  await scene.say("ou_owner", "My word is canary-owner.");
  const held = Promise.withResolvers<void>();
  scene.model.script([callTools({ name: "message", arguments: { action: "send", message: "One moment." } })]);
  scene.model.respond(async () => held.promise.then(() => sayText("I know: canary-owner.")));
  await scene.say("ou_anna", "I am canary-anna.");
  await expect.poll(() => scene.request).toContain("One moment.");
  await scene.restart({}, "SIGKILL");
  await scene.waitForSent(3);
  held.resolve();
  expect(scene.sent.slice(1)).toEqual([expect.stringContaining("One moment."), expect.stringContaining("Please send it again.")]);
  await scene.say("ou_anna", "I am canary-anna.", { count: 2 });
  expect(scene.given).toEqual(["canary-anna"]);
});

test.each([
  ["main is the owner's alone", {}],
  ["everyone has a session of their own", { sharedMain: true, dmScope: "per-channel-peer" }],
])("a guest's message queued behind the owner's turn runs in the guest's own session once %s", async (_name, settings) => {
  await using scene = await startGuestScene({ sharedMain: true });
  const gate = scene.model.hold();
  await scene.say("ou_owner", "My word is canary-owner.", { count: 0 });
  await expect.poll(() => scene.model.requests.length).toBe(1);
  await scene.say("ou_anna", "I am canary-anna.", { count: 0 });
  await scene.reload(settings);
  gate.open();
  await scene.waitForSent(2);
  await expect.poll(() => scene.given).toEqual(["canary-anna"]);
  expect((await scene.command("sessions", "list")).stdout).toContain(ANNA);
});
