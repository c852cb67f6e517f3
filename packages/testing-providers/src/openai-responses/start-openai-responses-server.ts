import { isJsonArray, isJsonObject, type JsonObject } from "../json.ts";
import { OPENAI_ERRORS, openaiErrorBody } from "../openai/errors.ts";
import type { OpenAiModel } from "../openai/models.ts";
import { stringOf } from "../openai/read-body.ts";
import type { RuleViolation } from "../server/rule-violation.ts";
import { type CanonicalRequest, entriesOf } from "../strict/prefix-report.ts";
import { freshId } from "../strict/render-parts.ts";
import { createShapeCheck } from "../strict/shape-check.ts";
import { checkBody, startWireServer } from "../strict/start-wire-server.ts";
import type { StrictServer, StrictServerOptions } from "../strict/strict-server.ts";
import type { Wire } from "../strict/wire.ts";
import { RESPONSES_FAULT_FRAMES, renderResponse, renderResponseStream } from "./render-responses.ts";
import { OPENAI_RESPONSES_RULES } from "./responses-rules.ts";
import { RESPONSES_SCHEMA } from "./responses-schema.ts";
import { type ResponsesView, viewResponses } from "./responses-view.ts";

export interface OpenAiResponsesOptions {
  /** Models in addition to the built-in ones, by id; an entry replaces a built-in one. */
  readonly models?: Readonly<Record<string, OpenAiModel>>;
}

export interface OpenAiResponsesServerOptions extends StrictServerOptions, OpenAiResponsesOptions {}

/** Starts a strict server of OpenAI's Responses API on 127.0.0.1. It stores nothing, regardless of `store`: a request must contain what it refers to. */
export function startOpenAiResponsesServer(options: OpenAiResponsesServerOptions = {}): Promise<StrictServer> {
  return startWireServer(responsesWire(options), options);
}

/** Every rule that a body breaks, in table order; empty for a valid body. */
export function checkOpenAiResponsesRequest(body: JsonObject, options: OpenAiResponsesOptions = {}): readonly RuleViolation[] {
  return checkBody(responsesWire(options), "/v1/responses", body);
}

const checkTypedShape = createShapeCheck(RESPONSES_SCHEMA);

/** An item without a type is a message. */
function checkShape(body: JsonObject): ReturnType<typeof checkTypedShape> {
  const { input } = body;
  if (!isJsonArray(input)) return checkTypedShape(body);
  return checkTypedShape({
    ...body,
    input: input.map((item) => (isJsonObject(item) && !("type" in item) ? { type: "message", ...item } : item)),
  });
}

/** Tools, instructions with the leading system messages, and the other items, each as it was sent; a plain text is the user's one message. */
export function canonicalOpenAiResponses(body: JsonObject): CanonicalRequest {
  const { input, instructions } = body;
  const items = typeof input === "string" ? [JSON.stringify({ role: "user", content: input })] : entriesOf(input);
  const lead = items.findIndex((entry) => !/^\{(?:"type":"message",)?"role":"(?:system|developer)"/.test(entry));
  const split = lead === -1 ? items.length : lead;
  const said = typeof instructions === "string" ? [JSON.stringify(instructions)] : [];
  return { tools: entriesOf(body["tools"]), system: [...said, ...items.slice(0, split)], messages: items.slice(split) };
}

function responsesWire({ models = {} }: OpenAiResponsesOptions): Wire<ResponsesView> {
  return {
    format: "openai-responses",
    maxRequestBytes: 512 * 1024 * 1024,
    minCacheTokens: 1024,
    rules: OPENAI_RESPONSES_RULES,
    modelOf: (_path, body) => stringOf(body["model"]),
    checkShape,
    view: (_path, body) => viewResponses(body, models),
    canonical: canonicalOpenAiResponses,
    streams: (_path, body) => body["stream"] === true,
    wantsStream: (_path, bytes) => bytes.includes('"stream":true'),
    renderStream: renderResponseStream,
    renderWhole: renderResponse,
    keepAliveFrame: ": keep-alive\n\n",
    faultFrames: RESPONSES_FAULT_FRAMES,
    errors: OPENAI_ERRORS,
    errorBody: openaiErrorBody,
    headers: () => ({ "x-request-id": freshId("req_", 16) }),
  };
}
