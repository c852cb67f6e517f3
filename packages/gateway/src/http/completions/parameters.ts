import { CompletionRequestError } from "./completion-request-error.ts";

/** Values that equal the default behaviour. */
const NEUTRAL: Readonly<Record<string, readonly unknown[]>> = { n: [1], store: [false], logprobs: [false], parallel_tool_calls: [true] };

/** True for a value that changes nothing. Such a parameter is not listed among the ignored ones. */
export function isNeutral(name: string, value: unknown): boolean {
  return (NEUTRAL[name] ?? []).includes(value) || (name === "response_format" && typeOf(value) === "text");
}

/** What a client that sets a parameter like this relies on without getting it. */
const UNSUPPORTED: readonly { readonly param: string; readonly isAsked: (value: unknown) => boolean; readonly message: string }[] = [
  {
    param: "n",
    isAsked: (value) => value !== 1,
    message: "n: this gateway gives one answer to a request. Leave it out, or send 1.",
  },
  {
    param: "response_format",
    isAsked: (value) => typeOf(value) !== "text",
    message: "response_format: only text is supported. Leave it out, and say in a message which form the answer shall have.",
  },
  {
    param: "tool_choice",
    isAsked: forcesCall,
    message:
      "tool_choice: the agent decides which tools it calls, its own or yours, so no call can be forced. Leave it out, or send auto or none.",
  },
  {
    param: "function_call",
    isAsked: forcesCall,
    message:
      "function_call: an agent uses its own tools, so a call of the client's cannot be forced. Leave it out, or send auto or none; `functions` is ignored.",
  },
];

/** Throws a `CompletionRequestError` for a parameter whose value would change the content of the answer and has no effect here. */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const { param, isAsked, message } of UNSUPPORTED) {
    const value = body[param];
    if (value === undefined || value === null || !isAsked(value)) continue;
    throw new CompletionRequestError(message, { status: 400, param, code: "unsupported_parameter" });
  }
}

/** `auto` is the actual behaviour; with `none` the client's tools are not offered. A list of allowed tools forces a call only in the mode `required`. */
function forcesCall(value: unknown): boolean {
  if (value === "auto" || value === "none") return false;
  if (typeOf(value) !== "allowed_tools") return true;
  const { allowed_tools: allowed } = value as { readonly allowed_tools?: { readonly mode?: unknown } | null };
  return allowed?.mode === "required";
}

function typeOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
}
