import { ModelError } from "@factotum/agent-contract";
import type { ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";
import type { SpendCause, SpendGuard } from "./spend-guard.ts";

/** Characters of one token, roughly; the reservation is replaced by the real figure. */
const CHARS_PER_TOKEN = 4;

/** A client whose every call is charged to `cause` before it is sent, and refused at the cap without being sent. */
export function chargedModel(model: ModelClient, cause: SpendCause, guard: SpendGuard): ModelClient {
  return {
    info: model.info,
    stream: (request, options) => charge(model, request, options, cause, guard),
  };
}

/** A client whose calls pause an unattended cause once too many of them have failed. Put it around the retries: a try that is repeated is no failure yet. */
export function failureCountedModel(model: ModelClient, cause: SpendCause, guard: SpendGuard): ModelClient {
  return {
    info: model.info,
    async *stream(request, options): AsyncGenerator<ModelEvent, void, undefined> {
      for await (const event of model.stream(request, options)) {
        if (event.type === "message-end") guard.recordOutcome(cause, "answered");
        // A call that we ended or refused ourselves says nothing about the model.
        else if (event.type === "message-failed" && event.error.code !== "aborted" && event.error.code !== "budget")
          guard.recordOutcome(cause, "failed");
        yield event;
      }
    },
  };
}

async function* charge(
  model: ModelClient,
  request: ModelRequest,
  options: { readonly signal: AbortSignal },
  cause: SpendCause,
  guard: SpendGuard,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reservation = await guard.reserve(cause, estimate(request));
  if (reservation.type === "refused") {
    const { message, retryAfterMs } = reservation;
    const retry = retryAfterMs === undefined ? ({ type: "never" } as const) : ({ type: "after", delayMs: retryAfterMs } as const);
    yield { type: "message-failed", error: new ModelError("budget", message, { retry }) };
    return;
  }
  let settled = false;
  try {
    for await (const event of model.stream(request, options)) {
      if (event.type === "message-end" || event.type === "message-failed") {
        settled = true;
        reservation.settle((event.type === "message-end" ? event.message.usage : event.partial?.usage) ?? NOTHING);
      }
      yield event;
    }
  } finally {
    if (!settled) reservation.settle(NOTHING);
  }
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

function estimate(request: ModelRequest): number {
  let chars = request.system.stable.length + request.system.session.length;
  for (const message of request.messages) {
    for (const block of message.content) chars += block.type === "text" || block.type === "thinking" ? block.text.length : 200;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
