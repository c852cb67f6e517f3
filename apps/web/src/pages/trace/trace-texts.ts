import type { MessageTrace, TracedSend } from "@factotum/protocol";
import { formatSpan, formatWhole } from "../../app/locale.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import type { Tone } from "../../ui/badge.tsx";
import type { BarPart } from "../../ui/stacked-bar.tsx";
import type { TracedWay, TraceStep } from "./trace-steps.ts";

/** What a step is, in words. */
export function stepTitle(step: TraceStep): string {
  switch (step.type) {
    case "input":
      return t("The message came on {channel}", { channel: gatewayText(step.input.channel) });
    case "start":
      return t("Work on it began");
    case "request":
      return t("{model} was asked", { model: step.request.model });
    case "wait":
      return t("The tool {name} waited for a person", { name: step.call.name });
    case "call":
      return t("The tool {name} ran", { name: step.call.name });
    case "end":
      return t("Work on it ended");
    case "send":
      return t(SENDS[step.send.purpose], { channel: step.send.channel });
  }
}

const SENDS: Readonly<Record<TracedSend["purpose"], string>> = {
  reply: msg("The answer was sent to {channel}"),
  tool: msg("A message was sent to {channel}"),
  notice: msg("A notice was sent to {channel}"),
  preview: msg("The growing answer was shown on {channel}"),
};

const SEND_STATES: Readonly<Record<TracedSend["state"], readonly [tone: Tone, words: string]>> = {
  sending: ["neutral", msg("Is being sent")],
  waiting: ["warning", msg("Waits to be sent")],
  suppressed: ["neutral", msg("Not sent, as configured")],
  accepted: ["good", msg("Delivered")],
  ambiguous: ["warning", msg("Unknown whether it was delivered")],
  dead: ["bad", msg("Not delivered")],
  replaced: ["neutral", msg("Replaced by another message")],
};

const RUN_STATES: Readonly<Record<MessageTrace["state"], readonly [tone: Tone, words: string]>> = {
  running: ["neutral", msg("Running")],
  done: ["good", msg("Done")],
  aborted: ["neutral", msg("Stopped")],
  failed: ["bad", msg("Failed")],
};

/** How a step ended, if that says more than its title. */
export function stepState(step: TraceStep, trace: MessageTrace): readonly [tone: Tone, words: string] | undefined {
  switch (step.type) {
    case "request":
      return step.request.outcome.type === "failed" ? ["bad", t("Failed")] : undefined;
    case "call":
      if (step.call.endedAtMs === undefined) return ["neutral", t("No result")];
      return step.call.isError === true ? ["bad", t("Failed")] : undefined;
    case "end":
      return [RUN_STATES[trace.state][0], t(RUN_STATES[trace.state][1])];
    case "send":
      return [SEND_STATES[step.send.state][0], t(SEND_STATES[step.send.state][1])];
    case "input":
    case "start":
    case "wait":
      return undefined;
  }
}

/** What became of a message that was not answered. */
const INPUT_STATES: Readonly<Record<string, string>> = {
  waiting: msg("Waiting"),
  claimed: msg("Running"),
  silent: msg("Nothing to say"),
  suppressed: msg("Not sent, as configured"),
  shown: msg("Read by the assistant"),
  ignored: msg("Left out"),
  interrupted: msg("Stopped"),
  told: msg("Failed"),
  dead: msg("Failed"),
};

function inputText(state: string): string {
  const words = INPUT_STATES[state];
  return words === undefined ? state : t(words);
}

/** More of a step, for those who look closer. */
export function stepDetails(step: TraceStep, trace: MessageTrace): readonly string[] {
  switch (step.type) {
    case "input": {
      const { sender, state, reason } = step.input;
      return [
        sender === "owner" ? t("from you") : t("from {sender}", { sender }),
        ...(state === "answered" ? [] : [inputText(state)]),
        ...sentenceOf(reason),
      ];
    }
    case "start":
      return trace.starts > 1 ? [t("{count, plural, one {started once} other {started # times}}", { count: trace.starts })] : [];
    case "request": {
      const { usage, outcome } = step.request;
      return [
        t("{tokens} tokens", { tokens: formatWhole(usage.total) }),
        ...(outcome.type === "failed" ? [gatewayText(outcome.message)] : []),
      ];
    }
    case "wait":
    case "call":
      return [];
    case "end":
      return sentenceOf(trace.failure?.message);
    case "send": {
      const { attempts, reason } = step.send;
      return [
        ...(attempts > 1 ? [t("{count, plural, one {# attempt} other {# attempts}}", { count: attempts })] : []),
        ...sentenceOf(reason),
      ];
    }
  }
}

/** What the gateway says, if it says something. */
function sentenceOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : [gatewayText(text)];
}

/** How long it took, and what took longest. */
export function summaryOf({ times, slowest }: TracedWay, { state }: MessageTrace): string {
  const span = formatSpan(times.totalMs);
  const took = state === "running" ? t("It has been running for {span} so far.", { span }) : t("It took {span} in all.", { span });
  if (slowest === undefined) return took;
  const longest = t("The longest step: {step}, {span}.", {
    step: stepTitle(slowest),
    span: formatSpan((slowest.untilMs ?? 0) - slowest.atMs),
  });
  return `${took}${sentenceSpace()}${longest}`;
}

/** Where the time went. */
export function timeParts({ times }: TracedWay): readonly BarPart[] {
  const parts: readonly (readonly [id: string, label: string, ms: number])[] = [
    ["waiting", t("Waiting for its turn"), times.waitingMs],
    ["model", t("Models"), times.modelMs],
    ["tools", t("Tools"), times.toolsMs],
    ["delivery", t("Delivery"), times.deliveryMs],
    ["person", t("Waiting for a person"), times.personMs],
    ["other", t("The gateway itself"), times.otherMs],
  ];
  return parts.map(([id, label, value]) => ({ id, label, value, text: formatSpan(value) }));
}
