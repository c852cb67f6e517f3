import { expect, test } from "vitest";
import { sampleRequest } from "../../../test/context-samples.ts";
import { sampleTrace, TRACE_START_MS } from "../../../test/trace-sample.ts";
import { isUnderway, toTracedWay } from "./trace-steps.ts";

test("the steps are in order of time, and the time adds up: two tools at once count once", () => {
  const { steps, times, slowest, startMs, endMs } = toTracedWay(sampleTrace());
  expect(steps.map(({ key }) => key)).toEqual(["input i1", "start", "request r1", "call c1", "call c2", "request r2", "end", "send o1"]);
  expect([startMs - TRACE_START_MS, endMs - TRACE_START_MS]).toEqual([0, 13_000]);
  expect(times).toEqual({ totalMs: 13_000, waitingMs: 2000, modelMs: 6900, personMs: 0, toolsMs: 2900, deliveryMs: 1000, otherMs: 200 });
  expect(slowest?.key).toBe("request r2");
});

test("what was sent while the turn ran, or asked after it, delays nothing, and a running turn has no end", () => {
  const whole = sampleTrace();
  const late = sampleRequest(1, { id: "r3", request: 3, sentAtMs: TRACE_START_MS + 12_100, durationMs: 500 });
  expect(toTracedWay({ ...whole, requests: [...whole.requests, late] }).times).toEqual(toTracedWay(whole).times);
  const { endedAtMs: _ended, ...running } = whole;
  const early = whole.sends.map((send) => ({ ...send, createdAtMs: TRACE_START_MS + 4000, settledAtMs: TRACE_START_MS + 4500 }));
  expect(toTracedWay({ ...whole, sends: early }).times).toMatchObject({ totalMs: 12_000, deliveryMs: 0 });
  expect(toTracedWay({ ...running, state: "running", sends: [], requests: [], calls: [] })).toMatchObject({
    times: { totalMs: 2000, waitingMs: 2000, otherMs: 0 },
    slowest: undefined,
  });
});

test("a message that came while the turn ran has waited for nothing", () => {
  const whole = sampleTrace();
  const inputs = whole.inputs.map((input) => ({ ...input, receivedAtMs: TRACE_START_MS + 3000 }));
  const { steps, times } = toTracedWay({ ...whole, inputs });
  expect(steps[0]?.key).toBe("start");
  expect(steps.find(({ type }) => type === "input")?.untilMs).toBeUndefined();
  expect(times).toMatchObject({ totalMs: 11_000, waitingMs: 0 });
});

test("steps may follow while the turn runs or a part of the answer is on its way, and not afterwards", () => {
  const whole = sampleTrace();
  const sends = whole.sends.map(({ settledAtMs: _settled, ...send }) => ({ ...send, state: "waiting" as const }));
  expect([whole, { ...whole, state: "running" as const }, { ...whole, sends }, { ...whole, sends: [] }].map(isUnderway)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("what a call waited for a person is no work of the tool", () => {
  const whole = sampleTrace();
  const at = (ms: number): number => TRACE_START_MS + ms;
  const requests = whole.requests.slice(0, 1);
  const exec = { name: "exec", callId: "c1", askedAtMs: at(3100), endedAtMs: at(11_000), isError: false };
  const decided = toTracedWay({ ...whole, requests, calls: [{ ...exec, waits: [{ atMs: at(3100), untilMs: at(9100) }] }] });
  expect(decided.times).toMatchObject({ personMs: 6000, toolsMs: 1900 });
  expect(decided.slowest).toMatchObject({ type: "wait", untilMs: at(9100) });
  // It went on without the decision, which came later or never.
  for (const untilMs of [undefined, at(60_000)])
    expect(
      toTracedWay({ ...whole, requests, calls: [{ ...exec, waits: [{ atMs: at(3100), ...(untilMs !== undefined && { untilMs }) }] }] }),
    ).toMatchObject({
      endMs: at(13_000),
      times: { personMs: 7900, toolsMs: 0 },
    });
});
