import { expect, test } from "vitest";
import { ALICE, BOB, startScene } from "../../test/scene.ts";
import type { MatrixScene } from "../../test/scene.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

/** Resolves once the bot is in a room. */
async function joined({ matrix }: MatrixScene, roomId: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (matrix.store.room(roomId).membershipOf(matrix.app.bot.id) === "join") resolve();
  };
  matrix.watch(check);
  check();
  await promise;
}

test("an invitation is followed, its direct chat is marked as one, and who invited the bot is passed on for a group", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.start();
  const direct = store.createRoom({ creator: ALICE, invited: [app.bot.id], isDirect: true });
  await joined(scene, direct.id);
  expect(app.direct.get(app.bot.id)?.[ALICE]).toContain(direct.id);
  const group = store.createRoom({ creator: BOB, invited: [app.bot.id], name: "Plans" });
  await scene.host.storedMessages(1);
  expect(scene.host.received).toMatchObject([
    {
      origin: { conversation: { kind: "group", id: group.id } },
      sender: { id: BOB },
      event: { type: "member", change: "joined", member: { isSelf: true } },
    },
  ]);
  const line = scene.host.logLines.find((one) => one.includes("joined by invitation") && one.includes(group.id));
  expect(line).toContain(`factotum access allow matrix:second '${group.id}' --group`);
});

test("an invitation from before the first start is followed, and one that is limited is tried again", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  const early = store.createRoom({ creator: ALICE, invited: [app.bot.id] });
  await scene.start();
  await joined(scene, early.id);
  const late = store.createRoom({ creator: ALICE });
  scene.matrix.failNextRead({ type: "rate-limit", delayMs: 20 });
  store.setMembership({ roomId: late.id, userId: app.bot.id, membership: "invite", by: ALICE });
  await joined(scene, late.id);
});

test("an invitation that was not followed at a stop is followed after the next start", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.start();
  await scene.channel.stop(soon());
  const room = store.createRoom({ creator: ALICE });
  await scene.host.state.set(`invitation/${room.id}`, { type: "json", json: { inviter: ALICE, isDirect: false } });
  store.append({
    roomId: room.id,
    type: "m.room.member",
    sender: ALICE,
    content: store.memberContent(app.bot.id, "invite"),
    stateKey: app.bot.id,
  });
  await scene.another().start(soon());
  await joined(scene, room.id);
});

test("an invitation that was taken back is given up, and the next one is followed", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.host.state.set("invitation/!gone:fake.example", { type: "json", json: { inviter: ALICE, isDirect: false } });
  await scene.start();
  const room = store.createRoom({ creator: ALICE, invited: [app.bot.id] });
  await joined(scene, room.id);
  expect(scene.host.logLines.some((line) => line.includes("could not be followed") && line.includes("!gone"))).toBe(true);
});

test("at most a hundred invitations wait, and the bot stays within its number of rooms", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  for (let index = 0; index < 500; index += 1) store.createRoom({ creator: ALICE, members: [app.bot.id] });
  await scene.start();
  store.createRoom({ creator: ALICE, invited: [app.bot.id] });
  await scene.matrix.request(({ path }) => path.endsWith("/joined_rooms"));
  await scene.write({ msgtype: "m.text", body: "hello" });
  expect(scene.host.logLines.some((line) => line.includes("too many rooms"))).toBe(true);
});

test("an invitation to a room that cannot be joined holds up no other", async () => {
  await using scene = await startScene();
  const { store, app } = scene.matrix;
  await scene.start();
  const broken = store.createRoom({ creator: BOB });
  // The joined rooms are asked for, then the room is joined.
  await scene.host.state.set("invitation/!gone:evil.example", { type: "json", json: { inviter: BOB, isDirect: false } });
  for (let failure = 0; failure < 3; failure += 1) scene.matrix.failNextRead({ type: "http", status: 502 });
  store.setMembership({ roomId: broken.id, userId: app.bot.id, membership: "invite", by: BOB });
  const room = store.createRoom({ creator: ALICE, invited: [app.bot.id] });
  await joined(scene, room.id);
  await joined(scene, broken.id);
});
