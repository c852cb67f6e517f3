import { withoutUndefined } from "@factotum/agent-contract";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, SpanContext, Tracer } from "@opentelemetry/api";
import { LRUCache } from "lru-cache";

/** Maximum turns whose sends may still follow. */
const MAX_TURNS = 1000;

/** Parent and attributes of a span. Attributes are ids, configured names and numbers: never message text. */
export interface SpanFacts {
  /** The turn whose trace it joins. */
  readonly turnId: string | undefined;
  readonly attributes: Attributes;
  /** True for a request to another machine. */
  readonly isRequest?: boolean;
}

/** Ends a span. `failure` is a code, not a message; it marks the span as failed. */
export type EndSpan = (attributes: Attributes, failure?: string) => void;

/** Creates spans through the OpenTelemetry API only. Without an SDK, which an owner may register in the process (`NODE_OPTIONS=--import`), they are no-ops. */
export class Spans {
  readonly #tracer: Tracer = trace.getTracer("factotum");
  readonly #turns = new LRUCache<string, SpanContext>({ max: MAX_TURNS });

  /** Starts the span of a turn, the parent of later spans of that turn. */
  startTurn(turnId: string, attributes: Attributes): EndSpan {
    const span = this.#tracer.startSpan("turn", { attributes: { ...attributes, "factotum.turn.id": turnId } }, ROOT_CONTEXT);
    if (span.isRecording()) this.#turns.set(turnId, span.spanContext());
    return endOf(span);
  }

  start(name: string, { turnId, attributes, isRequest = false }: SpanFacts): EndSpan {
    const parent = turnId === undefined ? undefined : this.#turns.get(turnId);
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const ids = withoutUndefined({ "factotum.turn.id": turnId });
    const kind = isRequest ? SpanKind.CLIENT : SpanKind.INTERNAL;
    return endOf(this.#tracer.startSpan(name, { kind, attributes: { ...attributes, ...ids } }, context));
  }
}

function endOf(span: ReturnType<Tracer["startSpan"]>): EndSpan {
  return (attributes, failure) => {
    span.setAttributes(attributes);
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span.end();
  };
}
