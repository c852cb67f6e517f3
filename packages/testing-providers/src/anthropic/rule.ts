import type { IncomingHttpHeaders } from "node:http";
import { type AnthropicErrorType, ERROR_STATUS } from "./errors.ts";
import type { RequestView } from "./request-view.ts";

/** A request before its body is checked. */
export interface Transport {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly byteLength: number;
  readonly maxBytes: number;
  /** The required key; undefined accepts any. */
  readonly apiKey: string | undefined;
  /** The error of `JSON.parse`; undefined if the body is a JSON object. */
  readonly jsonError: string | undefined;
}

interface RuleFacts {
  /** Stable name, kebab-case: what tests and records refer to. */
  readonly id: string;
  /** What a client must do, in our own words. */
  readonly description: string;
  /** The vendor's error or documentation, shortened; `…` stands for variable text. */
  readonly vendorText: string;
  readonly errorType: AnthropicErrorType;
  readonly status: number;
}

/** One rule of the vendor. `check` returns the error's message if the request breaks it. */
export type AnthropicRule =
  | (RuleFacts & { readonly type: "transport"; check(transport: Transport): string | undefined })
  | (RuleFacts & { readonly type: "body"; check(view: RequestView): string | undefined });

interface RuleDraft<Input> {
  readonly id: string;
  readonly description: string;
  readonly vendorText: string;
  readonly errorType?: AnthropicErrorType;
  check(input: Input): string | undefined;
}

export function transportRule(draft: RuleDraft<Transport>): AnthropicRule {
  const errorType = draft.errorType ?? "invalid_request_error";
  return { ...draft, type: "transport", errorType, status: ERROR_STATUS[errorType] };
}

export function bodyRule(draft: RuleDraft<RequestView>): AnthropicRule {
  const errorType = draft.errorType ?? "invalid_request_error";
  return { ...draft, type: "body", errorType, status: ERROR_STATUS[errorType] };
}
