import { copyFile } from "node:fs/promises";
import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OWNER, sampleMessage, sampleOutbound } from "../../../contract/samples.ts";
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
