import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, SpanContext, Tracer } from "@opentelemetry/api";
import { LRUCache } from "lru-cache";

/** Turns whose sends may still come. */
const MAX_TURNS = 1000;

/** Where a span belongs and what it says. Attributes are ids, names out of the configuration and numbers: never the words of anybody. */
export interface SpanFacts {
  /** The turn whose trace it joins. */
  readonly turnId: string | undefined;
  readonly attributes: Attributes;
  /** True for a request to another machine. */
  readonly isRequest?: boolean;
}

/** Ends a span. `failure` is a code, not a message; the span counts as failed then. */
export type EndSpan = (attributes: Attributes, failure?: string) => void;

/**
 * Spans over the API of OpenTelemetry alone. Whether anything becomes of them is the owner's choice: who registers an SDK in the process
 * (`NODE_OPTIONS=--import`) has them, for everybody else they are empty objects.
 */
export class Spans {
  readonly #tracer: Tracer = trace.getTracer("factotum");
  readonly #turns = new LRUCache<string, SpanContext>({ max: MAX_TURNS });

  /** The span of a turn: what names the turn later hangs below it. */
  startTurn(turnId: string, attributes: Attributes): EndSpan {
    const span = this.#tracer.startSpan("turn", { attributes: { ...attributes, "factotum.turn.id": turnId } }, ROOT_CONTEXT);
    if (span.isRecording()) this.#turns.set(turnId, span.spanContext());
    return endOf(span);
  }

  start(name: string, { turnId, attributes, isRequest = false }: SpanFacts): EndSpan {
    const parent = turnId === undefined ? undefined : this.#turns.get(turnId);
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const ids = turnId === undefined ? {} : { "factotum.turn.id": turnId };
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
