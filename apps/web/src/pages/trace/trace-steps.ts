import type { ContextRequest, MessageTrace, TracedCall, TracedInput, TracedSend } from "@factotum/protocol";

/** A step of a message on its way, from `atMs` until `untilMs` (absent: it has not ended, or is a moment). */
export type TraceStep = { readonly key: string; readonly atMs: number; readonly untilMs?: number | undefined } & (
  | { readonly type: "input"; readonly input: TracedInput }
  | { readonly type: "start" }
  | { readonly type: "request"; readonly request: ContextRequest }
  /** A call waits for a person. */
  | { readonly type: "wait"; readonly call: TracedCall }
  | { readonly type: "call"; readonly call: TracedCall }
  | { readonly type: "end" }
  | { readonly type: "send"; readonly send: TracedSend }
);

/** Where the time of a message went, in milliseconds. They add up to `totalMs`. */
interface TraceTimes {
  readonly totalMs: number;
  /** From the event until the turn began. */
  readonly waitingMs: number;
  /** Until models had answered. */
  readonly modelMs: number;
  /** Until persons had decided or answered, while no model was asked and no tool ran. */
  readonly personMs: number;
  /** Until tools had ended, while no model was asked. */
  readonly toolsMs: number;
  /** From the end of the turn until the platform had the last part. */
  readonly deliveryMs: number;
  readonly otherMs: number;
}

/** A message on its way. */
export interface TracedWay {
  readonly startMs: number;
  readonly endMs: number;
  /** In order of time. */
  readonly steps: readonly TraceStep[];
  readonly times: TraceTimes;
  /** The longest request, wait for a person, call or send; absent if nothing took time. */
  readonly slowest: TraceStep | undefined;
}

type Span = readonly [startMs: number, endMs: number];

/** True while steps may follow: the turn runs, or a platform has not yet taken a part of the answer or refused it. */
export function isUnderway({ state, sends }: MessageTrace): boolean {
  return state === "running" || sends.some(({ settledAtMs }) => settledAtMs === undefined);
}

/** The steps of a message in order of time, and where the time went. */
export function toTracedWay({ inputs, requests, calls, sends, startedAtMs, endedAtMs }: MessageTrace): TracedWay {
  const steps: readonly TraceStep[] = [
    // A message that came into a running turn has waited for nothing.
    ...inputs.map((input): TraceStep => {
      const atMs = input.receivedAtMs;
      return { key: `input ${input.id}`, type: "input", input, atMs, untilMs: atMs < startedAtMs ? startedAtMs : undefined };
    }),
    { key: "start", type: "start", atMs: startedAtMs },
    ...requests.map((request): TraceStep => {
      const { id, sentAtMs, durationMs } = request;
      return { key: `request ${id}`, type: "request", request, atMs: sentAtMs, untilMs: sentAtMs + durationMs };
    }),
    ...calls.flatMap(stepsOfCall),
    ...(endedAtMs === undefined ? [] : [{ key: "end", type: "end", atMs: endedAtMs } as const]),
    ...sends.map((send): TraceStep => ({ key: `send ${send.id}`, type: "send", send, atMs: send.createdAtMs, untilMs: send.settledAtMs })),
  ];
  const startMs = Math.min(...steps.map(({ atMs }) => atMs));
  const endMs = Math.max(...steps.map(({ atMs, untilMs }) => untilMs ?? atMs));
  return {
    startMs,
    endMs,
    // Of what began in the same millisecond, the shortest comes first: a tool that took no time before the request with its result.
    steps: steps.toSorted((left, right) => left.atMs - right.atMs || (left.untilMs ?? left.atMs) - (right.untilMs ?? right.atMs)),
    times: timesOf(steps, { startMs, endMs, startedAtMs, endedAtMs }),
    slowest: steps
      .filter(({ type, atMs, untilMs = atMs }) => ["request", "wait", "call", "send"].includes(type) && untilMs > atMs)
      .toSorted((left, right) => lengthOf(right) - lengthOf(left))[0],
  };
}

/** A call works from the end of its last wait on. */
function stepsOfCall(call: TracedCall): readonly TraceStep[] {
  const { callId, askedAtMs, endedAtMs, waits = [] } = call;
  // What it was still waiting for when it ended, it has not waited for any longer.
  const endOf = (untilMs: number | undefined): number | undefined =>
    endedAtMs === undefined ? untilMs : Math.min(untilMs ?? endedAtMs, endedAtMs);
  const steps = waits.map(({ atMs, untilMs }, index): TraceStep => {
    return { key: `wait ${callId} ${index}`, type: "wait", call, atMs, untilMs: endOf(untilMs) };
  });
  const beganAtMs = Math.max(askedAtMs, ...steps.map(({ atMs, untilMs = atMs }) => untilMs));
  return [...steps, { key: `call ${callId}`, type: "call", call, atMs: beganAtMs, untilMs: endedAtMs }];
}

function lengthOf({ atMs, untilMs = atMs }: TraceStep): number {
  return untilMs - atMs;
}

interface Bounds {
  readonly startMs: number;
  readonly endMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
}

function timesOf(steps: readonly TraceStep[], { startMs, endMs, startedAtMs, endedAtMs = endMs }: Bounds): TraceTimes {
  const spansOf = (type: TraceStep["type"]): readonly Span[] =>
    // What was sent during the turn, and what was asked after it, is counted once.
    steps.flatMap((step) => (step.type === type ? [[clamp(step.atMs), clamp(step.untilMs ?? step.atMs)] as const] : []));
  const clamp = (ms: number): number => Math.min(Math.max(ms, startedAtMs), endedAtMs);
  const totalMs = endMs - startMs;
  const waitingMs = startedAtMs - startMs;
  const modelMs = coveredBy(spansOf("request"));
  const toolsMs = coveredBy([...spansOf("request"), ...spansOf("call")]) - modelMs;
  const personMs = coveredBy([...spansOf("request"), ...spansOf("call"), ...spansOf("wait")]) - modelMs - toolsMs;
  const deliveryMs = endMs - endedAtMs;
  const otherMs = Math.max(0, totalMs - waitingMs - modelMs - personMs - toolsMs - deliveryMs);
  return { totalMs, waitingMs, modelMs, personMs, toolsMs, deliveryMs, otherMs };
}

/** The time that any of the spans covers: two tools at once count once. */
function coveredBy(spans: readonly Span[]): number {
  let covered = 0;
  let known = -Infinity;
  for (const [start, end] of spans.toSorted(([left], [right]) => left - right)) {
    covered += Math.max(0, end - Math.max(start, known));
    known = Math.max(known, end);
  }
  return covered;
}
