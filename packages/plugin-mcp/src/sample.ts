import type { JsonValue, ModelSampler, Question, SamplingOutcome, SamplingRequest } from "@factotum/agent-contract";
import { isObject } from "./check-schema.ts";
import type { ElicitOptions } from "./elicit.ts";
import type { RunningCall } from "./running-calls.ts";

/** The answer to a server that wants the model to write for it. */
export type SampleAnswer =
  | {
      readonly type: "written";
      readonly message: {
        readonly role: "assistant";
        readonly content: { readonly type: "text"; readonly text: string };
        readonly model: string;
        readonly stopReason: "endTurn" | "maxTokens";
      };
    }
  /** An error of the protocol. */
  | { readonly type: "refused"; readonly code: number; readonly message: string };

/** What writing for a server needs. */
export interface SampleOptions extends ElicitOptions {
  /** Absent: no model writes. */
  readonly sampler: ModelSampler | undefined;
}

/** Characters of the system prompt and all messages. */
const MAX_REQUEST_CHARS = 100_000;
const MAX_MESSAGES = 100;
const MAX_TOKENS = 4_096;
const MAX_SHOWN_CHARS = 1_000;

/** The specification's own code. */
const REJECTED: SampleAnswer = { type: "refused", code: -1, message: "User rejected sampling request" };
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/**
 * Has the model of the conversation write what a server wants, if the person whose message a call works on allows it. Servers may ask in calls alone, five times
 * in one, and not again after a no. The answer is the server's alone. Rejects when the call ends, or the gateway does.
 */
export async function sample(
  params: JsonValue,
  { signal }: { readonly signal: AbortSignal },
  options: SampleOptions,
): Promise<SampleAnswer> {
  const { server, questioner, sampler, calls, logger, hideSecrets } = options;
  const call = calls.asking();
  if (questioner === undefined || sampler === undefined || call === undefined) {
    logger.info("An MCP server asked for the model, and there was no one to ask", { server });
    return REJECTED;
  }
  const parsed = parseRequest(params, hideSecrets);
  if (parsed.type === "invalid") {
    logger.warn("An MCP server asked for the model, and was refused", { server, reason: parsed.reason });
    return { type: "refused", code: INVALID_PARAMS, message: parsed.reason };
  }
  if (!call.samples.take()) {
    logger.warn("An MCP server asked for the model again, and was refused", { server });
    return REJECTED;
  }
  using _paused = calls.pause();
  const until = AbortSignal.any([signal, call.ended]);
  if (!(await isAllowed(parsed.request, call, { server, questioner, signal: until }))) {
    call.samples.refuse();
    return REJECTED;
  }
  const outcome = await sampler.sample(parsed.request, { run: call.facts.run, signal: until }).catch((error: unknown): SamplingOutcome => {
    until.throwIfAborted();
    return { type: "failed", message: error instanceof Error ? error.message : "unknown reason" };
  });
  if (outcome.type === "written") return written(outcome);
  // Why is the owner's matter: it may be about money or keys.
  logger.warn("The model did not write for an MCP server", { server, reason: outcome.message });
  return { type: "refused", code: INTERNAL_ERROR, message: "The model could not answer" };
}

async function isAllowed(
  request: SamplingRequest,
  call: RunningCall,
  {
    server,
    questioner,
    signal,
  }: { readonly server: string; readonly questioner: NonNullable<ElicitOptions["questioner"]>; readonly signal: AbortSignal },
): Promise<boolean> {
  const asked = { callId: call.nextQuestionId(), run: call.facts.run, signal };
  const outcome = await questioner.ask([consentQuestion(request, server)], asked);
  return outcome.type === "answered" && /^(allow|yes|ok)$/i.test(outcome.answers[0]?.trim() ?? "");
}

function consentQuestion({ systemPrompt, messages, maxOutputTokens }: SamplingRequest, server: string): Question {
  const said = [...(systemPrompt === "" ? [] : [`system: ${systemPrompt}`]), ...messages.map(({ role, text }) => `${role}: ${text}`)].join(
    "\n",
  );
  const isCut = said.length > MAX_SHOWN_CHARS;
  const lines = [
    `The MCP server ${server} wants the model to write for it, at most ${maxOutputTokens} tokens, at your expense. It asks, in its own words:`,
    ...said
      .slice(0, MAX_SHOWN_CHARS)
      .toWellFormed()
      .split("\n")
      .map((line) => `> ${line}`),
    ...(isCut ? [`These are the first ${MAX_SHOWN_CHARS} of ${said.length} characters.`] : []),
    "The answer goes to the server.",
  ];
  return { question: lines.join("\n"), options: ["Allow", "Decline"] };
}

function written({ text, model, isCut }: { readonly text: string; readonly model: string; readonly isCut: boolean }): SampleAnswer {
  const message = { role: "assistant", content: { type: "text", text }, model, stopReason: isCut ? "maxTokens" : "endTurn" } as const;
  return { type: "written", message };
}

type Parsed = { readonly type: "request"; readonly request: SamplingRequest } | { readonly type: "invalid"; readonly reason: string };

/** Text alone, without tools, and without the conversation. What a server wishes about the model itself, such as its temperature, has no effect. */
function parseRequest(params: JsonValue, hideSecrets: (text: string) => string): Parsed {
  if (!isObject(params) || !Array.isArray(params["messages"])) return invalid("messages are expected");
  const { messages: given, systemPrompt = "", maxTokens, includeContext = "none", tools, toolChoice } = params;
  if (tools !== undefined || toolChoice !== undefined) return invalid("tools are not supported");
  if (includeContext !== "none") return invalid("includeContext is not supported");
  if (typeof systemPrompt !== "string") return invalid("systemPrompt has to be text");
  if (typeof maxTokens !== "number" || !Number.isInteger(maxTokens) || maxTokens < 1)
    return invalid("maxTokens has to be a positive integer");
  const list = given as readonly JsonValue[];
  if (list.length > MAX_MESSAGES) return invalid(`at most ${MAX_MESSAGES} messages are taken`);
  const messages = list.map(parseMessage);
  if (!messages.every((message) => message !== undefined)) return invalid("only text content is supported");
  if (messages[0]?.role !== "user" || messages.at(-1)?.role !== "user")
    return invalid("the first and the last message have to be the user's");
  const chars = messages.reduce((sum, { text }) => sum + text.length, systemPrompt.length);
  if (chars > MAX_REQUEST_CHARS) return invalid(`the request has more than ${MAX_REQUEST_CHARS} characters`);
  return {
    type: "request",
    request: {
      systemPrompt: hideSecrets(systemPrompt),
      messages: messages.map(({ role, text }) => ({ role, text: hideSecrets(text) })),
      maxOutputTokens: Math.min(maxTokens, MAX_TOKENS),
    },
  };
}

function parseMessage(message: JsonValue): SamplingRequest["messages"][number] | undefined {
  if (!isObject(message)) return undefined;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") return undefined;
  const texts = (Array.isArray(content) ? (content as readonly JsonValue[]) : [content]).map((block) =>
    isObject(block) && block["type"] === "text" && typeof block["text"] === "string" ? block["text"] : undefined,
  );
  return texts.every((text) => text !== undefined) && texts.join("") !== "" ? { role, text: texts.join("\n") } : undefined;
}

function invalid(reason: string): Parsed {
  return { type: "invalid", reason };
}
