import type { RequestFrame } from "@factotum/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleReport, sampleRequest } from "../../test/context-samples.ts";
import { ManualTimers } from "../../test/manual-timers.ts";
import { MAIN_KEY, ScriptedGateway } from "../../test/scripted-gateway.ts";
import { GatewayClient } from "../gateway-client/gateway-client.ts";
import { type AppState, INITIAL_STATE } from "./app-state.ts";
import { InspectorController } from "./inspector-controller.ts";
import type { InspectorState } from "./inspector-state.ts";
import { Store } from "./store.ts";

let gateway: ScriptedGateway;
let client: GatewayClient;
let store: Store<AppState>;
let inspector: InspectorController;
let kept: number;

beforeEach(async () => {
  gateway = new ScriptedGateway();
  await gateway.listen();
  kept = 3;
  gateway.intercept = (request) => answer(request);
  client = new GatewayClient({
    openSocket: () => new WebSocket(`ws://127.0.0.1:${gateway.port}/ws`),
    token: gateway.token,
    client: { name: "test", version: "0" },
    timers: new ManualTimers(),
    random: () => 0,
  });
  store = new Store<AppState>(INITIAL_STATE, (notify) => notify());
  inspector = new InspectorController(client, store);
  const { promise, resolve } = Promise.withResolvers<void>();
  client.onStateChange(({ type }) => type === "connected" && resolve());
  client.start();
  await promise;
});

afterEach(async () => {
  client.stop();
  await gateway.close();
});

/** Two requests a page, newest first. */
function answer({ method, params }: RequestFrame): ReturnType<ScriptedGateway["intercept"]> {
  const { id, before } = params as { readonly id?: string; readonly before?: string };
  if (method === "context.report") return { answer: sampleReport(sampleRequest(Number(id?.slice(1)))) };
  if (method !== "context.list") return "handle";
  const from = before === undefined ? kept : Number(before.slice(1)) - 1;
  const turns = [from, from - 1].filter((turn) => turn > 0);
  const rest = from - 2 > 0 ? { before: sampleRequest(from - 1).id } : {};
  return { answer: { requests: turns.map((turn) => sampleRequest(turn)), ...rest } };
}

const state = (): InspectorState => {
  const { inspector: shown } = store.get();
  if (shown === undefined) throw new Error("the page is not open");
  return shown;
};
const listed = (): readonly number[] => (state().list.type === "ready" ? turnsOf(state()) : []);
const turnsOf = ({ list }: InspectorState): readonly number[] => (list.type === "ready" ? list.value.requests.map(({ turn }) => turn) : []);
const shownTurn = (): number | undefined => (state().report.type === "ready" ? reportTurn(state()) : undefined);
const reportTurn = ({ report }: InspectorState): number | undefined => (report.type === "ready" ? report.value.request.turn : undefined);

test("opens with the newest request, compared with the previous one and with its texts", async () => {
  inspector.open(MAIN_KEY);
  await inspector.refresh();
  expect(listed()).toEqual([3, 2]);
  expect(shownTurn()).toBe(3);
  const asked = gateway.requests.find(({ method }) => method === "context.report")?.params;
  expect(asked).toMatchObject({ diff: "previous", texts: true, sessionKey: MAIN_KEY });
});

test("loads older requests, and keeps the chosen one when new ones arrive", async () => {
  inspector.open(MAIN_KEY);
  await inspector.refresh();
  await inspector.loadOlder();
  expect(listed()).toEqual([3, 2, 1]);
  await inspector.choose(sampleRequest(1).id);
  expect(shownTurn()).toBe(1);
  kept = 4;
  await inspector.refresh();
  expect(listed()).toEqual([4, 3]);
  expect(shownTurn()).toBe(1);
});

test("shows the newest request after a refresh, unless one was chosen", async () => {
  inspector.open(MAIN_KEY);
  await inspector.refresh();
  kept = 4;
  await inspector.refresh();
  expect(shownTurn()).toBe(4);
});

test("drops the answer to a superseded request", async () => {
  inspector.open(MAIN_KEY);
  await inspector.refresh();
  await Promise.all([inspector.choose(sampleRequest(2).id), inspector.choose(sampleRequest(1).id)]);
  expect(shownTurn()).toBe(1);
  const late = inspector.choose(sampleRequest(2).id);
  inspector.close();
  await late;
  expect(store.get().inspector).toBeUndefined();
});

test("shows a refusal in its place, and can retry", async () => {
  gateway.intercept = (request) =>
    request.method === "context.report" ? ScriptedGateway.refusal("not-found", "It is kept no more.") : answer(request);
  inspector.open(MAIN_KEY);
  await inspector.refresh();
  expect(state().report).toEqual({ type: "failed", message: "It is kept no more." });
  gateway.intercept = () => ScriptedGateway.refusal("unavailable", "Later.");
  await inspector.refresh();
  expect(state().list).toEqual({ type: "failed", message: "Later." });
  gateway.intercept = answer;
  await inspector.refresh();
  expect([listed(), shownTurn()]).toEqual([[3, 2], 3]);
});

test("a session without requests shows nothing else", async () => {
  kept = 0;
  inspector.open(MAIN_KEY);
  await inspector.refresh();
  expect(listed()).toEqual([]);
  expect(gateway.requests.some(({ method }) => method === "context.report")).toBe(false);
});
