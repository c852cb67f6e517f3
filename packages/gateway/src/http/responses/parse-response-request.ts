import * as z from "zod";
import { CompletionRequestError } from "../completions/completion-request-error.ts";
import { explainIssue } from "../completions/explain-issue.ts";
import { parseCompletionRequest } from "../completions/parse-request.ts";
import type { CompletionRequest } from "../completions/parse-request.ts";

/** A parsed request of the Responses API. */
export interface ResponseRequest {
  readonly completion: CompletionRequest;
  readonly previousResponseId: string | undefined;
  /** The conversation can be continued by the id of the response. */
  readonly store: boolean;
  /** What the response repeats of the request. */
  readonly echo: Readonly<Record<string, unknown>>;
}

const PartsSchema = z.lazy(() =>
  z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional(), image_url: z.string().nullish() }))]),
);
const ItemSchema = z.lazy(() =>
  z.looseObject({
    type: z.string().default("message"),
    role: z.enum(["user", "assistant", "system", "developer"]).optional(),
    content: PartsSchema.nullish(),
    call_id: z.string().min(1).optional(),
    name: z.string().min(1).optional(),
    arguments: z.string().optional(),
    output: PartsSchema.optional(),
  }),
);
const RequestSchema = z.lazy(() =>
  z.looseObject({
    input: z.union([z.string(), z.array(ItemSchema)]),
    instructions: z.string().nullish(),
    previous_response_id: z.string().min(1).nullish(),
    store: z.boolean().nullish(),
    background: z.boolean().nullish(),
    tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
    text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  }),
);
type Item = z.infer<typeof ItemSchema>;
type Parts = z.infer<typeof PartsSchema>;

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

/** Parses a request body by way of the chat completion that says the same; rejects with what to change. */
export function parseResponseRequest(body: unknown, nowMs: number): ResponseRequest {
  const parsed = RequestSchema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const param = issue?.path.map(String).join(".") ?? "";
    throw refused(param, issue === undefined ? "it is not valid" : explainIssue(issue, body));
  }
  const { input, instructions, previous_response_id: previous, store, background, tools, text, ...rest } = parsed.data;
  const { tool_choice: choice, metadata, conversation, truncation: _none, ...others } = rest;
  if (background === true) throw refused("background", "responses are not run in the background; leave it out", "unsupported_parameter");
  if (conversation !== undefined && conversation !== null)
    throw refused("conversation", "send previous_response_id, or name the session in x-factotum-session", "unsupported_parameter");
  const items: readonly Item[] = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const system = instructions === null || instructions === undefined ? [] : [{ role: "system", content: instructions }];
  const chat = {
    ...others,
    messages: [...system, ...toMessages(items)],
    tools: tools?.map(({ type, ...fn }) => (type === "function" ? { type, function: fn } : { type })),
    tool_choice: toChatChoice(choice),
    ...(text?.format === undefined || text.format === null ? {} : { response_format: text.format }),
  };
  return {
    completion: parseCompletionRequest(chat, nowMs),
    previousResponseId: previous ?? undefined,
    store: store ?? true,
    echo: {
      instructions: instructions ?? null,
      previous_response_id: previous ?? null,
      store: store ?? true,
      tools: tools ?? [],
      tool_choice: choice ?? "auto",
      metadata: metadata ?? {},
    },
  };
}

/** A refusal of the completion in the terms of the client's request; any other error as it is. */
export function inResponseTerms(error: unknown): unknown {
  if (!(error instanceof CompletionRequestError)) return error;
  const rename = (words: string): string => words.replace(/^messages\b/, "input").replace(/^response_format\b/, "text.format");
  const { message, status, code, param } = error;
  return new CompletionRequestError(rename(message), { status, code, param: param === null ? null : rename(param) });
}

/** Calls that follow each other, and an answer before them, are one message. */
function toMessages(items: readonly Item[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const [index, item] of items.entries()) {
    const place = `input.${index}`;
    switch (item.type) {
      case "message":
        if (item.role === undefined) throw refused(`${place}.role`, "it is missing; one of user, assistant, system, developer is expected");
        messages.push({ role: item.role, content: toContent(item.content) });
        break;
      case "function_call": {
        const { call_id: id, name, arguments: given = "{}" } = item;
        if (id === undefined || name === undefined) throw refused(place, "a function_call has call_id, name and arguments");
        const last = messages.at(-1);
        const before = last?.role === "assistant" ? last : { role: "assistant", content: null };
        if (last?.role === "assistant") messages.pop();
        messages.push({
          ...before,
          tool_calls: [...(before.tool_calls ?? []), { id, type: "function", function: { name, arguments: given } }],
        });
        break;
      }
      case "function_call_output":
        if (item.call_id === undefined || item.output === undefined) throw refused(place, "a function_call_output has call_id and output");
        messages.push({ role: "tool", tool_call_id: item.call_id, content: toContent(item.output) });
        break;
      case "item_reference":
        throw refused(place, "items are not kept by id; send the item itself, or previous_response_id", "unsupported_parameter");
      case "reasoning":
        // Thoughts are bound to the model's own requests.
        break;
      default:
        throw refused(`${place}.type`, "one of message, function_call, function_call_output, reasoning is expected");
    }
  }
  return messages;
}

function toContent(content: Parts | null | undefined): unknown {
  if (content === null || content === undefined || typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "input_image") return { type: "image_url", image_url: { url: part.image_url ?? "" } };
    return part.text === undefined ? { type: part.type } : { type: "text", text: part.text };
  });
}

const ChoiceSchema = z.lazy(() =>
  z.looseObject({
    type: z.string(),
    mode: z.string().optional(),
    tools: z.array(z.looseObject({ name: z.string().optional() })).optional(),
  }),
);

/** A choice of tools in the shape of a chat completion. */
function toChatChoice(choice: unknown): unknown {
  const parsed = ChoiceSchema.safeParse(choice);
  if (!parsed.success || parsed.data.type !== "allowed_tools") return choice;
  const { type, mode, tools = [] } = parsed.data;
  return { type, allowed_tools: { mode, tools: tools.map(({ name }) => ({ type: "function", function: { name: name ?? "" } })) } };
}

function refused(param: string, message: string, code = "invalid_value"): CompletionRequestError {
  return new CompletionRequestError(`${param === "" ? "The body" : param}: ${message}`, {
    status: 400,
    param: param === "" ? null : param,
    code,
  });
}
