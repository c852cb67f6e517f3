import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualTimers } from "../../test/manual-timers.ts";
import { reached } from "../../test/reached.ts";
import { MAIN_KEY, ScriptedGateway } from "../../test/scripted-gateway.ts";
import { GatewayClient } from "../gateway-client/gateway-client.ts";
import { AppController } from "./app-controller.ts";
import { type AppState, INITIAL_STATE } from "./app-state.ts";
import { MediaCache } from "./media-cache.ts";
import { Store } from "./store.ts";

let gateway: ScriptedGateway;
let clients: GatewayClient[];

beforeEach(async () => {
  gateway = new ScriptedGateway();
  clients = [];
  await gateway.listen();
});

afterEach(async () => {
  for (const client of clients) client.stop();
  await gateway.close();
});

/** An app without a window. `storage` survives a reload. */
function openApp(storage = new Map<string, string>(), to = gateway) {
  const timers = new ManualTimers();
  const client = new GatewayClient({
    openSocket: () => ({ socket: new WebSocket(`ws://127.0.0.1:${to.port}/ws`) }),
    token: to.token,
    client: { name: "test", version: "0" },
    timers,
    random: () => 0,
  });
  clients.push(client);
  const store = new Store<AppState>(INITIAL_STATE, (notify) => notify());
  const visited: string[] = [];
  const saved: { readonly name: string; readonly text: string }[] = [];
  let serial = 0;
  const controller = new AppController({
    client,
    store,
    storage: { getItem: (key) => storage.get(key) ?? null, setItem: (key, value) => void storage.set(key, value) },
    timers,
    randomId: () => `${storage.size}${++serial}`.padEnd(12, "0"),
    upload: async (image) => {
      const ref = `upload:${await image.text()}`;
      to.uploads.set(ref, Buffer.from(await image.text()));
      return { type: "uploaded", kind: "image", ref };
    },
    saveFile: (name, text) => saved.push({ name, text }),
    media: new MediaCache({ load: async (_key, id) => new Blob([id]), createUrl: () => "blob:x", revokeUrl: () => undefined }),
    onNavigate: ({ sessionKey, view }) => visited.push(view === "chat" ? sessionKey : `${sessionKey} ${view}`),
  });
  const until = (fits: (state: AppState) => boolean): Promise<AppState> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!fits(store.get())) return;
        end();
        resolve(store.get());
      };
      const end = store.subscribe(check);
      check();
    });
  return { client, controller, saved, store, timers, until, visited };
}

const isOpen = (state: AppState): boolean => state.open.type === "open";

function textsOf(state: AppState): readonly string[] {
  return state.open.type === "open"
    ? state.open.chat.entries.map((entry) => (entry.type === "tool-result" ? entry.name : "text" in entry ? entry.text : ""))
    : [];
}

test("warnings are requested, updated, and requested again after a lost connection; a dismissed one stays dismissed while its text is the same", async () => {
  gateway.warnings = [{ id: "storage", level: "warning", text: "little" }];
  const { client, controller, store, until } = openApp();
  client.start();
  const [shown] = (await until((state) => state.warnings.length === 1)).warnings;
  if (shown === undefined) throw new Error("one was shown");
  controller.warnings.hide(shown);
  gateway.warn([...gateway.warnings, { id: "damage", level: "error", text: "lost" }]);
  await until((state) => state.warnings.length === 2);
  expect(store.get().hiddenWarnings).toEqual([shown]);
  gateway.cut();
  await until((state) => state.connection.type === "waiting");
  gateway.warnings = [{ id: "storage", level: "warning", text: "less" }];
  client.retryNow();
  await until((state) => state.warnings[0]?.text === "less");
  expect(store.get().hiddenWarnings).toEqual([]);
});

test("approves and rejects a person by the code; a new owner is announced, and a failure is shown", async () => {
  const { client, controller, store, until } = openApp();
  gateway.warnings = ["AAAA", "BBBB"].map((code) => ({ id: `pairing:${code}`, level: "warning", text: "asks" }));
  client.start();
  await until((state) => state.warnings.length === 2);
  gateway.pairings.set("AAAA", { senderId: "u1", owner: true });
  gateway.pairings.set("BBBB", { senderId: "u2", owner: false });
  await controller.warnings.decidePairing("AAAA", "approve");
  expect(store.get().news).toContain("u1 on test/default is the owner now");
  expect(store.get().alert).toBeUndefined();
  expect(store.get().warnings.map(({ id }) => id)).toEqual(["pairing:BBBB"]);
  controller.dismissNews();
  await controller.warnings.decidePairing("BBBB", "reject");
  expect(store.get().news).toBeUndefined();
  expect(store.get().warnings).toEqual([]);
  expect(gateway.decisions).toEqual(["approve AAAA", "reject BBBB"]);
  expect(store.get().alert).toBeUndefined();
  await controller.warnings.decidePairing("BBBB", "approve");
  expect(store.get().alert).toContain("No request has this code");
});

test("opens the main session, and a new chat under a key of its own", async () => {
  const app = openApp();
  app.client.start();
  await app.until((state) => isOpen(state) && state.sessionKey === MAIN_KEY);
  app.controller.startChat();
  const state = await app.until((next) => isOpen(next) && next.sessionKey !== MAIN_KEY);
  expect(state.sessionKey).toMatch(/^agent:main:webchat:direct:\w{12}$/);
  expect(app.visited).toEqual([MAIN_KEY, state.sessionKey]);
});

test.each([1001, 1_200_000])("a conversation with a key of %i characters is not opened, and the reason is its address", async (length) => {
  const app = openApp();
  gateway.intercept = ({ method }) => (method === "chat.subscribe" ? ScriptedGateway.refusal("invalid-request", "Too big") : "handle");
  app.controller.follow({ sessionKey: "x".repeat(length), view: "chat" });
  app.client.start();
  const { open } = await app.until((state) => state.open.type === "failed");
  expect(open).toEqual({ type: "failed", message: "Its address is too long." });
});

test("a sent message is pending until it is in the conversation", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  app.controller.send("hello");
  expect(app.store.get().outgoing).toMatchObject([{ text: "hello", status: "sending", sessionKey: MAIN_KEY }]);
  await app.until((next) => textsOf(next).includes("hello") && next.outgoing.length === 0);
});

test("concurrent session changes cause one request", async () => {
  const app = openApp();
  app.client.start();
  await app.until((state) => isOpen(state) && state.agentId !== undefined);
  await app.client.request("sessions.list", {});
  const before = gateway.requests.length;
  gateway.conversation(MAIN_KEY).session.say("hello", "k-1");
  const heard = new Promise<void>((resolve) => {
    let events = 0;
    app.client.onEvent(() => ++events === 3 && resolve());
  });
  for (let index = 0; index < 3; index += 1) gateway.broadcast("sessions-change", { keys: [MAIN_KEY] });
  await heard;
  app.timers.advance(150);
  await app.until((state) => state.sessions.some((session) => session.key === MAIN_KEY));
  expect(gateway.requests.slice(before).map((request) => request.method)).toEqual(["agents.list", "sessions.list", "sessions.list"]);
});

test("a changed configuration requests the agents again", async () => {
  const app = openApp();
  app.client.start();
  await app.until((state) => isOpen(state) && state.agentId !== undefined);
  await app.client.request("sessions.list", {});
  const before = gateway.requests.length;
  const heard = new Promise<void>((resolve) => app.client.onEvent(({ type }) => type === "config-change" && resolve()));
  gateway.broadcast("config-change", { type: "applied", changed: ["agents.list"], needsRestart: [], problems: [] });
  await heard;
  app.timers.advance(150);
  await expect
    .poll(() => gateway.requests.slice(before).map(({ method }) => method))
    .toEqual(["agents.list", "sessions.list", "sessions.list"]);
});

test("whatever happens to the connection, every message arrives once, in order", async () => {
  const mishap = fc.constantFrom("handle", "drop-after", "cut", "unavailable", "reload");
  await fc.assert(
    fc.asyncProperty(fc.array(mishap, { minLength: 1, maxLength: 8 }), async (mishaps) => {
      const own = new ScriptedGateway();
      await own.listen();
      const storage = new Map<string, string>();
      let app = openApp(storage, own);
      const left = [...mishaps];
      own.intercept = (request) => {
        if (request.method !== "chat.send") return "handle";
        const next = left.shift() ?? "handle";
        if (next === "unavailable") return ScriptedGateway.refusal("unavailable", "Starting.");
        if (next === "reload") {
          app.client.stop();
          app = openApp(storage, own);
          app.client.start();
          return "ignore";
        }
        if (next === "cut") own.cut();
        return next === "cut" ? "ignore" : next;
      };
      app.client.start();
      await app.until(isOpen);
      const said = mishaps.map((_, index) => `message ${index}`);
      for (const text of said) app.controller.send(text);
      const { session } = own.conversation(MAIN_KEY);
      const all = new Promise<void>((resolve) => {
        const check = (): void => void (session.entries.length >= said.length && resolve());
        session.listen(check);
        check();
      });
      // Only reconnects and retries need the clock.
      const pump = setInterval(() => app.timers.advance(3000), 1);
      await all;
      await app.until((state) => state.outgoing.length === 0);
      clearInterval(pump);
      expect(session.entries.map((entry) => (entry.type === "user" ? entry.text : entry.type))).toEqual(said);
      app.client.stop();
      await own.close();
    }),
    { numRuns: 25 },
  );
});

test("a refused message shows why, and can be retried or discarded", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  gateway.intercept = (request) =>
    request.method === "chat.send" ? ScriptedGateway.refusal("forbidden", "Sending is off here.") : "handle";
  app.controller.send("one");
  app.controller.send("two");
  const { outgoing } = await app.until((state) => state.outgoing.every((message) => message.status === "failed"));
  expect(outgoing).toMatchObject([{ error: "Sending is off here." }, { error: "Sending is off here." }]);
  gateway.intercept = () => "handle";
  const [first, second] = outgoing;
  app.controller.outbox.discard(first?.idempotencyKey ?? "");
  app.controller.outbox.retry(second?.idempotencyKey ?? "");
  const state = await app.until((next) => textsOf(next).length > 0);
  expect(textsOf(state)).toEqual(["two"]);
});

test("a message without an entry of its own is done when nothing runs any more", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  const { session } = gateway.conversation(MAIN_KEY);
  session.startRun();
  gateway.intercept = (request) => (request.method === "chat.send" ? { answer: { sessionKey: MAIN_KEY, status: "accepted" } } : "handle");
  app.controller.send("merged");
  await app.until((state) => state.outgoing[0]?.status === "accepted");
  // It was merged with another message, whose key the entry has.
  session.say("both", "other-key");
  await app.until((state) => textsOf(state).includes("both"));
  expect(app.store.get().outgoing).toHaveLength(1);
  session.endRun("done");
  await app.until((state) => state.outgoing.length === 0);
});

test("older pages are prepended until the beginning", async () => {
  const { session } = gateway.conversation(MAIN_KEY);
  for (let index = 0; index < 120; index += 1) session.say(`m${index}`, `k${index}`);
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  expect(textsOf(app.store.get())).toHaveLength(50);
  gateway.intercept = (request) => (request.method === "chat.history" ? ScriptedGateway.refusal("unavailable", "Busy.") : "handle");
  await app.controller.loadOlder();
  expect(app.store.get().older).toBe("failed");
  gateway.intercept = () => "handle";
  await app.controller.loadOlder();
  await app.controller.loadOlder();
  await app.controller.loadOlder();
  expect(textsOf(app.store.get())).toEqual(Array.from({ length: 120 }, (_, index) => `m${index}`));
});

test("stopping names the run; including the queue it drops waiting messages", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  const runId = gateway.conversation(MAIN_KEY).session.startRun();
  await app.until((state) => state.open.type === "open" && state.open.chat.live !== undefined);
  await app.controller.stop({ queued: true });
  expect(gateway.requests.at(-1)).toMatchObject({ method: "chat.abort", params: { sessionKey: MAIN_KEY, runId, queued: true } });
});

test("sessions are renamed, reset and deleted; the main one opens after the open one is deleted", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  app.controller.startChat();
  const { sessionKey = "" } = await app.until((state) => isOpen(state) && state.sessionKey !== MAIN_KEY);
  app.controller.send("hello");
  await app.until((state) => textsOf(state).includes("hello"));
  await app.controller.rename(sessionKey, "  Trip  ");
  expect(app.store.get().sessions).toMatchObject([{ key: sessionKey, label: "Trip" }]);
  await app.controller.rename(sessionKey, " ");
  expect(app.store.get().sessions[0]).not.toHaveProperty("label");
  await app.controller.reset(sessionKey);
  await app.until((state) => textsOf(state).length === 0);
  app.controller.remove(sessionKey, "Trip");
  await app.until((state) => isOpen(state) && state.sessionKey === MAIN_KEY);
  expect(app.store.get().deleting).toEqual({ key: sessionKey, title: "Trip" });
  app.timers.advance(8000);
  await app.until((state) => state.deleting === undefined);
  expect(app.store.get().sessions.map((session) => session.key)).not.toContain(sessionKey);
});

test("a deletion can be undone briefly; another deletion, or leaving the page, completes it at once", async () => {
  const app = openApp();
  for (const name of ["a", "b"]) gateway.conversation(`agent:main:${name}`).session.say("hello", name);
  app.client.start();
  await app.until((state) => state.sessions.length === 2);
  const deleted = (): unknown[] => gateway.requests.filter(({ method }) => method === "sessions.delete").map(({ params }) => params);
  app.controller.remove("agent:main:a", "A");
  app.controller.undoDelete();
  app.timers.advance(8000);
  expect(app.store.get().deleting).toBeUndefined();
  expect(deleted()).toEqual([]);
  app.controller.remove("agent:main:a", "A");
  app.controller.remove("agent:main:b", "B");
  await app.until((state) => state.sessions.length === 1);
  expect(deleted()).toEqual([{ key: "agent:main:a" }]);
  expect(app.store.get().deleting).toEqual({ key: "agent:main:b", title: "B" });
  await app.controller.finishDelete();
  expect(deleted()).toEqual([{ key: "agent:main:a" }, { key: "agent:main:b" }]);
});

test("a retried message uploads its files again; an edited one goes to the message field", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  await app.controller.sendAgain({
    text: "look",
    files: [
      { id: "1".repeat(32), kind: "image", name: "one.png" },
      { id: "2".repeat(32), kind: "audio" },
    ],
  });
  await app.until((state) => textsOf(state).includes("look"));
  const sent = gateway.requests.filter(({ method }) => method === "chat.send").map(({ params }) => params);
  expect(sent).toMatchObject([
    { text: "look", attachments: [{ ref: `upload:${"1".repeat(32)}`, fileName: "one.png" }, { ref: `upload:${"2".repeat(32)}` }] },
  ]);
  app.controller.editAgain("look");
  const first = app.store.get().edit;
  app.controller.editAgain("look");
  expect([first?.text, app.store.get().edit?.serial === first?.serial]).toEqual(["look", false]);
});

test("a conversation is exported page by page into one file", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  gateway.intercept = ({ method, params }) =>
    method !== "sessions.export"
      ? "handle"
      : {
          answer: {
            sessionId: "s",
            ...((params as { readonly after?: string }).after === undefined ? { lines: ["1", "2"], after: "2" } : { lines: ["3"] }),
          },
        };
  await app.controller.export(MAIN_KEY, "A/B: trip");
  expect(app.saved).toEqual([{ name: "A_B_ trip.jsonl", text: "1\n2\n3\n" }]);
});

test("a failed action shows an alert, a lost connection does not", async () => {
  const app = openApp();
  app.client.start();
  await app.until(isOpen);
  gateway.intercept = () => ScriptedGateway.refusal("not-found", "There is no such session.");
  await app.controller.reset("agent:main:gone");
  expect(app.store.get().alert).toBe("There is no such session.");
  app.controller.dismissAlert();
  gateway.cut();
  await reached(app.client, "waiting");
  await app.controller.reset("agent:main:gone");
  expect(app.store.get().alert).toBeUndefined();
});

test("a refused subscription can be retried", async () => {
  gateway.intercept = (request) => (request.method === "chat.subscribe" ? ScriptedGateway.refusal("unavailable", "Starting.") : "handle");
  const app = openApp();
  app.client.start();
  const { open } = await app.until((state) => state.open.type === "failed");
  expect(open).toEqual({ type: "failed", message: "Starting." });
  gateway.intercept = () => "handle";
  app.controller.reopen();
  await app.until(isOpen);
});
