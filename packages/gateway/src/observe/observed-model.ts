import type { ModelClient, ModelEvent, ModelRequest, RunKind } from "@factotum/agent-contract";
import type { ModelCallEnd, Observer } from "./observer.ts";

/** A client whose every request the observer is told of. */
export function observedModel(model: ModelClient, cause: { readonly kind: RunKind }, observer: Observer): ModelClient {
  return { info: model.info, stream: (request, options) => observe(model, request, options, cause, observer) };
}

async function* observe(
  model: ModelClient,
  request: ModelRequest,
  options: { readonly signal: AbortSignal },
  { kind }: { readonly kind: RunKind },
  observer: Observer,
): AsyncGenerator<ModelEvent, void, undefined> {
  const ended = observer.modelCalled({ provider: model.info.provider, model: model.info.id, kind });
  let end: ModelCallEnd;
  try {
    for await (const event of model.stream(request, options)) {
      if (event.type === "message-end" || event.type === "message-failed") end = event;
      yield event;
    }
  } finally {
    ended(end);
  }
}
