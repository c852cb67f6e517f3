import { copyFile } from "node:fs/promises";
import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OWNER, sampleEnd, sampleMessage, sampleOutbound, sampleSession, sampleTurn, userEntry } from "../../../contract/samples.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { RecoveryScene, textsOf } from "../../../test/recovery-scene.ts";

let scene: RecoveryScene;
let fixture: SqliteFixture;
beforeEach(async () => {
  scene = await RecoveryScene.create();
  ({ fixture } = scene);
});
afterEach(() => scene.remove());

test.each(["conversations", "sessions", "transcript", "turns", "inbox", "outbox"])(
  "a database that has lost its table of %s keeps its conversations, which continue",
  async (table) => {
    const store = await scene.open();
    for (const name of ["one", "two", "three"]) await scene.talk(store, name, `hello ${name}`);
    await store.close();
    await scene.wreck(table);
    const broken = await scene.open();
    await Promise.allSettled([broken.snapshot()]);
    await broken.close();

    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ loss: "structure", isComplete: false }]);
    await scene.talk(again, "two", "and again");
    expect(await textsOf(again, "id-one")).toEqual(["hello one"]);
    expect(await textsOf(again, "id-two")).toEqual(["hello two", "and again"]);
    expect((await again.counts()).sessions).toBe(3);
    // The senders are unknown for a session whose row is lost.
    const isPrivate = table !== "sessions" && table !== "conversations";
    expect(await again.readSession("agent:main:one")).toMatchObject({ sessionId: "id-one", isPrivate });
  },
);

test("a database that has lost its index of sent messages finds them after the recovery", async () => {
  const store = await scene.open();
  await scene.talk(store, "one", "hello");
  const [row] = await store.addOutbound([sampleOutbound("sent", { state: "sending" })]);
  const receipt = { type: "accepted", messageIds: [messageId("m1")] } as const;
  const { target } = await store.settleOutbound(row?.id ?? "", { type: "receipt", receipt }, { nowMs: fixture.clock.nowMs });
  await store.close();
  await scene.wreck("sent_messages");
  const broken = await scene.open();
  await Promise.allSettled([broken.snapshot()]);
  await broken.close();

  const again = await scene.open();
  expect(scene.recoveries).toMatchObject([{ loss: "structure" }]);
  expect((await again.listSentMessage(target, "m1")).map(({ id }) => id)).toEqual([row?.id]);
});

test("a database whose index has lost a running turn is rebuilt, and its session continues", async () => {
  const store = await scene.open();
  await scene.talk(store, "one", "hello");
  await store.snapshot();
  const { input } = await store.acceptInput(sampleMessage("running"), { admission: OWNER, receivedAtMs: fixture.clock.nowMs });
  const session = sampleSession({ key: "agent:main:one", sessionId: "id-one" });
  await store.startTurn(
    sampleTurn("t-running", [input.id], { session, entries: [userEntry("running")], startedAtMs: fixture.clock.nowMs }),
  );
  await store.close();
  await scene.emptyIndex("sqlite_autoindex_turns_1");

  const broken = await scene.open();
  const [turn] = await broken.resumeTurns();
  await expect(broken.beginAttempt(turn?.id ?? "")).rejects.toMatchObject({ code: "damaged" });
  await expect(broken.beginAttempt("t-unknown")).rejects.toMatchObject({ code: "not-found" });
  await broken.close();

  const again = await scene.open();
  expect(scene.recoveries).toMatchObject([{ loss: "structure" }]);
  for (const { id } of await again.resumeTurns()) await again.endTurn(sampleEnd(id));
  await scene.talk(again, "one", "and again");
  expect(await textsOf(again, "id-one")).toEqual(expect.arrayContaining(["hello", "and again"]));
});

// Without its conversations the age of the database is unknown before it is rebuilt.
test.each([
  ["turns", "older"],
  ["sessions_by_activity", "older"],
  ["conversations", "structure"],
])(
  "an older copy of the database whose %s are damaged is completed from its rows and the plain files, and repeats nothing",
  async (part, loss) => {
    const backup = `${fixture.folder}-backup`;
    const store = await scene.open();
    await scene.talk(store, "one", "first");
    const { input } = await store.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: fixture.clock.nowMs });
    await store.close();
    await copyFile(fixture.file, backup);
    const next = await scene.open();
    await scene.talk(next, "one", "second");
    await next.close();
    await scene.removeFile();
    await copyFile(backup, fixture.file);
    await scene.wreck(part);

    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ loss, isComplete: false }]);
    // It may have been answered since.
    expect(await again.readInput(input.id)).toMatchObject({ state: { type: "dead" } });
    expect(await textsOf(again, "id-one")).toEqual(["first", "second"]);
  },
);
