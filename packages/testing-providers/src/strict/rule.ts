import type { IncomingHttpHeaders } from "node:http";
import type { ErrorKind } from "./scripted-reply.ts";
import type { ShapeFault } from "./shape-check.ts";

/** A request before its body is looked into. */
export interface Transport {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly byteLength: number;
  /** The key that the server requires; undefined accepts any. */
  readonly apiKey: string | undefined;
  readonly jsonError: string | undefined;
}

/** A problem of a request, in the vendor's terms. */
export interface Finding {
  readonly message: string;
  /** The field, written as the vendor's errors write it. */
  readonly param?: string | undefined;
}

interface RuleFacts {
  /** Stable name, kebab-case: what tests and records refer to. */
  readonly id: string;
  /** What a client must do. */
  readonly description: string;
  /** The vendor's answer or documentation, shortened; `…` stands for variable text. */
  readonly vendorText: string;
  readonly errorType: ErrorKind;
  /** The code in the error's body, if the vendor has one. */
  readonly code?: string;
  /** Replaces the status of the kind. */
  readonly status?: number;
}

/**
 * One rule of a vendor.
 *
 * - `transport`: the first broken one ends the request.
 * - `shape`: rules of the body's schema; if one is broken, rules of the body are skipped.
 * - `body`: rules that a schema cannot express.
 */
export type WireRule<View> = RuleFacts &
  (
    | { readonly type: "transport"; check(transport: Transport): Finding | undefined }
    | { readonly type: "shape"; check(fault: ShapeFault): Finding | undefined }
    | { readonly type: "body"; check(view: View): Finding | undefined }
  );

/** A rule's facts with the kind that most have. */
export type RuleDraft<Input> = Omit<RuleFacts, "errorType"> & { readonly errorType?: ErrorKind; check(input: Input): Finding | undefined };

export function transportRule(draft: RuleDraft<Transport>): WireRule<never> {
  return { errorType: "invalid-request", ...draft, type: "transport" };
}

export function bodyRule<View>(draft: RuleDraft<View>): WireRule<View> {
  return { errorType: "invalid-request", ...draft, type: "body" };
}

/** The first finding that a check yields. */
export function firstOf<T>(items: Iterable<T>, check: (item: T) => Finding | undefined): Finding | undefined {
  for (const item of items) {
    const finding = check(item);
    if (finding !== undefined) return finding;
  }
  return undefined;
}
