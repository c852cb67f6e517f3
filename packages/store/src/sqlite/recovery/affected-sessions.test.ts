import { withoutUndefined } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOW_MS, ORIGIN, OWNER, sampleEnd, sampleMessage, sampleOutbound, sampleSession, sampleTurn } from "../../../contract/samples.ts";
import { RecoveryScene } from "../../../test/recovery-scene.ts";
import type { SqliteStore } from "../../index.ts";

const HOUR_MS = 3_600_000;

let scene: RecoveryScene;
beforeEach(async () => (scene = await RecoveryScene.create()));
afterEach(() => scene.remove());

/** A turn of this session that began and ended this many hours ago. */
async function talk(store: SqliteStore, name: string, hoursAgo: number, expiresAtMs?: number): Promise<void> {
  const atMs = NOW_MS - hoursAgo * HOUR_MS;
  const turn = `${name}-${hoursAgo}`;
  const { input } = await store.acceptInput(sampleMessage(turn), { admission: OWNER, receivedAtMs: atMs });
  const session = {
    ...sampleSession({ key: `agent:main:${name}`, sessionId: `id-${name}` }),
    ...withoutUndefined({ expiresAtMs }),
  };
  const touch = { interactedAtMs: atMs, lastOrigin: ORIGIN };
  await store.startTurn(sampleTurn(turn, [input.id], { session, touch, startedAtMs: atMs }));
  await store.endTurn(sampleEnd(turn, { endedAtMs: atMs, outbox: [] }));
}

const affected = (store: SqliteStore): readonly string[] =>
  store.damage.list().flatMap((event) => (event.affected ?? []).map((key) => key.replace("agent:main:", "")));

test("names the sessions in use in the lost period, then those of the day before, and counts uncertain rows", async () => {
  const store = await scene.open();
  await talk(store, "long-ago", 400);
  await talk(store, "went-on", 300);
  await talk(store, "answered", 299);
  await store.addOutbound([sampleOutbound("unsent", { sessionKey: "agent:main:answered" })]);
  await talk(store, "at-work", 298);
  await store.startTurn(
    sampleTurn("running", [], {
      session: sampleSession({ key: "agent:main:at-work", sessionId: "id-at-work" }),
      startedAtMs: NOW_MS - 298 * HOUR_MS,
      touch: { interactedAtMs: NOW_MS - 298 * HOUR_MS, lastOrigin: ORIGIN },
    }),
  );
  await store.acceptInput(sampleMessage("unanswered"), { admission: OWNER, receivedAtMs: NOW_MS });
  const reaction = { type: "reaction", targetId: messageId("m-1"), emoji: "👍", removed: false } as const;
  await store.acceptInput(sampleMessage("reaction", { event: reaction, text: "" }), { admission: OWNER, receivedAtMs: NOW_MS });
  await talk(store, "yesterday", 26);
  await talk(store, "day-before", 28);
  await talk(store, "one-request", 20, NOW_MS + HOUR_MS);
  await talk(store, "today", 3);
  await store.snapshot();
  await talk(store, "went-on", 1);
  await talk(store, "new", 1);
  await store.close();
  await scene.removeFile();

  const again = await scene.open();
  expect(affected(again)).toEqual(["new", "at-work", "answered", "went-on", "today", "yesterday"]);
  expect(scene.recoveries).toMatchObject([{ uncertain: { inputs: 1, outbound: 1, events: 1 } }]);
  const letters = (await again.listDeadLetters({ limit: 9 })).items;
  expect(letters.map(({ type }) => type).toSorted()).toEqual(["input", "outbound"]);
  const ignored = (await again.listInputs({ state: "ignored", limit: 9 })).items;
  expect(ignored.map(({ message }) => message.event)).toEqual([reaction]);
  const text = again.damage.list()[0]?.text ?? "";
  expect(text).toContain("I do not know whether 1 message to me had an answer, so I keep it as a dead letter.");
  expect(text).toContain("I do not know whether 1 message of mine arrived, and I send none again.");
  expect(text).toContain("Messages that came later and had no answer yet are lost, and so are the dead letters of that time.");
});

test("names none if nothing was lost", async () => {
  const store = await scene.open();
  await talk(store, "today", 3);
  await store.close();
  await scene.wreck("sessions_by_activity");
  const broken = await scene.open();
  await broken.listSessions({ limit: 5 }).catch(() => undefined);
  await broken.close();
  const again = await scene.open();
  expect(again.damage.list()).toMatchObject([{ isComplete: true, affected: [] }]);
  expect(again.damage.list()[0]?.text).not.toContain("dead letter");
});

test("names at most a hundred, the sessions with certain losses before those with possible ones", async () => {
  const store = await scene.open();
  await talk(store, "went-on", 300);
  for (let number = 0; number < 101; number += 1) await talk(store, `s${number}`, 3);
  await store.snapshot();
  await talk(store, "went-on", 1);
  await store.close();
  await scene.removeFile();
  const again = await scene.open();
  expect(affected(again)).toHaveLength(100);
  expect(affected(again)[0]).toBe("went-on");
});
