import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store } from "../src/index.ts";
import { NOW_MS, OWNER, RUN_USAGE, sampleEnd, sampleMessage, sampleOutbound, sampleSession, sampleTurn, userEntry } from "./samples.ts";
import type { StoreFixture } from "./contract-context.ts";
import { expectRefused, expectSame, StoreModel } from "./store-model.ts";

/** The store under test; replaced at each reopening. */
interface Real {
  store: Store;
  readonly fixture: StoreFixture;
}

type Command = fc.AsyncCommand<StoreModel, Real>;

/** A command that may always run: the store must refuse what the model does not allow. */
function command(name: string, run: (model: StoreModel, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

const eventIds = fc.constantFrom("1", "2", "3", "4", "5", "6");
const keys = fc.constantFrom("agent:main:a", "agent:main:b", "agent:main:c");
const turnIds = fc.constantFrom("t1", "t2", "t3", "t4", "t5");
const rowKeys = fc.constantFrom("t1:0", "t2:0", "t3:0", "x", "y");

/** True if the write is optimistic. */
const aheads = fc.boolean();

/** Event ids under which one message is delivered. */
const deliveries = fc.constantFrom("", " again", " once more");

const accept = fc.tuple(eventIds, deliveries, aheads).map(([eventId, delivery, isOptimistic]) =>
  command(`accept ${eventId}${delivery}${isOptimistic ? " optimistically" : ""}`, async (model, { store }) => {
    const { messageId } = sampleMessage(eventId);
    const said = [sampleMessage(`${eventId}${delivery}`, { messageId }), { admission: OWNER, receivedAtMs: NOW_MS }] as const;
    const { type, input } = isOptimistic ? (await store.acceptInputOptimistic(...said)).result : await store.acceptInput(...said);
    const known = model.inputs.get(eventId);
    expect(type).toBe(known === undefined ? "accepted" : "duplicate");
    if (known === undefined) model.inputs.set(eventId, { id: input.id, state: "waiting" });
    else expect(input.id).toBe(known.id);
  }),
);

const settle = eventIds.map((eventId) =>
  command(`settle ${eventId}`, async (model, { store }) => {
    const input = model.inputs.get(eventId);
    const settling = store.settleInputs([input?.id ?? "nothing"], { type: "ignored", reason: "policy" });
    if (input?.state !== "waiting") return expectRefused(settling, "conflict", "not-found");
    await settling;
    input.state = "ignored";
  }),
);

const start = fc
  .tuple(turnIds, keys, fc.uniqueArray(eventIds, { maxLength: 2 }), fc.nat(), aheads)
  .map(([id, key, events, salt, isOptimistic]) =>
    command(`start ${id} in ${key} with ${events.join()}${isOptimistic ? " optimistically" : ""}`, async (model, { store }) => {
      const inputs = events.map((eventId) => model.inputs.get(eventId));
      const inputIds = inputs.map((input) => input?.id ?? "nothing");
      const sessionId = `${key.slice(-1)}-${model.transcripts.size}-${salt}`;
      const turn = sampleTurn(id, inputIds, { session: sampleSession({ key, sessionId }) });
      const starting: Promise<unknown> = isOptimistic ? store.startTurnOptimistic(turn) : store.startTurn(turn);
      if (model.turns.has(id) || inputs.some((input) => input?.state !== "waiting"))
        return expectRefused(starting, "conflict", "not-found");
      await starting;
      const session = model.sessions.get(key) ?? { sessionId, calls: 0 };
      model.sessions.set(key, session);
      if (session.sessionId === sessionId) model.transcripts.set(sessionId, { key, texts: [] });
      model.textsOf(session.sessionId).push(`asked in ${id}`);
      model.turns.set(id, { key, sessionId: session.sessionId, inputIds, state: "running", attempts: 1, starts: 1 });
      for (const input of inputs) if (input !== undefined) Object.assign(input, { state: "claimed", turnId: id });
    }),
  );

const join = fc.tuple(turnIds, eventIds).map(([id, eventId]) =>
  command(`join ${eventId} to ${id}`, async (model, { store }) => {
    const turn = model.turns.get(id);
    const input = model.inputs.get(eventId);
    const joining = store.joinTurn(id, {
      inputIds: [input?.id ?? "nothing"],
      entries: [userEntry(`joined ${eventId}`)],
      timestampMs: NOW_MS,
    });
    if (turn?.state !== "running" || input?.state !== "waiting") return expectRefused(joining, "conflict", "not-found");
    await joining;
    model.textsOf(turn.sessionId).push(`joined ${eventId}`);
    turn.inputIds.push(input.id);
    Object.assign(input, { state: "claimed", turnId: id });
  }),
);

const append = turnIds.map((id) =>
  command(`append to ${id}`, async (model, { store }) => {
    const turn = model.turns.get(id);
    const appending = store.appendToTurn(id, { entries: [userEntry("a"), userEntry("b")], timestampMs: NOW_MS });
    if (turn?.state !== "running") return expectRefused(appending, "conflict", "not-found");
    await appending;
    model.textsOf(turn.sessionId).push("a", "b");
    turn.attempts = 1;
  }),
);

const end = fc.tuple(turnIds, fc.boolean()).map(([id, isSilent]) =>
  command(`end ${id}`, async (model, { store }) => {
    const turn = model.turns.get(id);
    const outbox = isSilent ? [] : [sampleOutbound(`${id}:0`)];
    const ending = store.endTurn(sampleEnd(id, { outbox, inputState: { type: isSilent ? "silent" : "answered" } }));
    if (turn?.state !== "running") return expectRefused(ending, "conflict", "not-found");
    const [row] = (await ending).outbox;
    turn.state = "done";
    model.textsOf(turn.sessionId).push(`answered in ${id}`);
    for (const input of model.inputs.values()) if (turn.inputIds.includes(input.id)) input.state = isSilent ? "silent" : "answered";
    if (row !== undefined && !model.outbox.has(`${id}:0`)) model.outbox.set(`${id}:0`, { id: row.id, state: "waiting", attempts: 0 });
    model.calls += RUN_USAGE.calls;
    const session = model.sessions.get(turn.key);
    if (session?.sessionId === turn.sessionId) session.calls += RUN_USAGE.calls;
  }),
);

const reset = fc.tuple(keys, fc.nat()).map(([key, salt]) =>
  command(`reset ${key}`, async (model, { store }) => {
    const sessionId = `${key.slice(-1)}-${model.transcripts.size}-r${salt}`;
    const resetting = store.resetSession(key, { sessionId, isPrivate: true, nowMs: NOW_MS });
    if (!model.sessions.has(key)) return expectRefused(resetting, "not-found");
    await resetting;
    model.sessions.set(key, { sessionId, calls: 0 });
    model.transcripts.set(sessionId, { key, texts: [] });
  }),
);

const remove = keys.map((key) =>
  command(`delete ${key}`, async (model, { store }) => {
    const deleting = store.deleteSession(key, { nowMs: NOW_MS });
    if (model.isBusy(key)) return expectRefused(deleting, "conflict");
    const ids = [...model.transcripts].filter(([, transcript]) => transcript.key === key).map(([sessionId]) => sessionId);
    expect((await deleting).toSorted()).toEqual(model.sessions.delete(key) ? ids.toSorted() : []);
    for (const sessionId of ids) model.transcripts.delete(sessionId);
    for (const [id, turn] of model.turns) {
      if (turn.key !== key) continue;
      model.turns.delete(id);
      // A later turn with the same id is unrelated.
      for (const input of model.inputs.values()) if (input.turnId === id) delete input.turnId;
    }
  }),
);

const send = rowKeys.map((key) =>
  command(`send ${key}`, async (model, { store }) => {
    const [row] = await store.addOutbound([sampleOutbound(key)]);
    const known = model.outbox.get(key);
    if (known === undefined) model.outbox.set(key, { id: row?.id ?? "", state: "waiting", attempts: 0 });
    else expect(row).toMatchObject({ id: known.id, state: { type: known.state } });
  }),
);

const claim = rowKeys.map((key) =>
  command(`claim ${key}`, async (model, { store }) => {
    const row = model.outbox.get(key);
    expect(await store.claimOutbound(row?.id ?? "nothing")).toBe(row?.state === "waiting");
    if (row?.state === "waiting") Object.assign(row, { state: "sending", attempts: row.attempts + 1 });
  }),
);

const deliver = fc.tuple(rowKeys, fc.constantFrom("accepted", "waiting", "ambiguous", "dead")).map(([key, outcome]) =>
  command(`deliver ${key}: ${outcome}`, async (model, { store }) => {
    const row = model.outbox.get(key);
    const ambiguous = { type: "ambiguous", cause: "lost" } as const;
    const transition = {
      accepted: { type: "receipt", receipt: { type: "accepted", messageIds: [] } },
      waiting: { type: "receipt", receipt: ambiguous, retryAtMs: NOW_MS + 1 },
      ambiguous: { type: "receipt", receipt: ambiguous },
      dead: { type: "dead", reason: "given up" },
    } as const;
    const delivering = store.settleOutbound(row?.id ?? "nothing", transition[outcome], { nowMs: NOW_MS });
    const isAllowed = row?.state === "sending" || (outcome === "dead" && row?.state === "waiting");
    if (row === undefined || !isAllowed) return expectRefused(delivering, "conflict", "not-found");
    await delivering;
    row.state = outcome;
  }),
);

const reopen = fc.constant(
  command("reopen", async (model, real) => {
    await real.store.close();
    real.store = await real.fixture.open();
    const resumed = await real.store.resumeTurns();
    const running = [...model.turns].filter(([, turn]) => turn.state === "running");
    expect(resumed.map((turn) => turn.id).toSorted()).toEqual(running.map(([id]) => id).toSorted());
    for (const [id, turn] of running) {
      await real.store.beginAttempt(id);
      turn.attempts += 1;
      turn.starts += 1;
    }
    await expectSame(real.store, model);
  }),
);

const commands = fc.commands([accept, accept, start, start, join, append, end, end, settle, reset, remove, send, claim, deliver, reopen], {
  maxCommands: 60,
  size: "max",
});

export function describeRandomOperations(createFixture: () => Promise<StoreFixture>): void {
  describe("random operations", () => {
    test("the store equals its model after any operations", { timeout: 120_000 }, async () => {
      const property = fc.asyncProperty(commands, async (sequence) => {
        const fixture = await createFixture();
        const model = new StoreModel();
        const real: Real = { store: await fixture.open(), fixture };
        try {
          await fc.asyncModelRun(() => ({ model, real }), sequence);
          await expectSame(real.store, model);
        } finally {
          await fixture.remove();
        }
      });
      await fc.assert(property, { numRuns: 30 });
    });
  });
}
