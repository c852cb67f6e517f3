import type { JsonObject } from "../json.ts";
import { stringOf } from "../openai/read-body.ts";
import type { RuleViolation } from "../server/rule-violation.ts";
import { type CanonicalRequest, entriesOf } from "../strict/prefix-report.ts";
import { freshId } from "../strict/render-parts.ts";
import { createShapeCheck } from "../strict/shape-check.ts";
import { checkBody, startWireServer } from "../strict/start-wire-server.ts";
import type { StrictServer, StrictServerOptions } from "../strict/strict-server.ts";
import type { Wire } from "../strict/wire.ts";
import { MISTRAL_ERRORS, mistralErrorBody } from "./errors.ts";
import { MISTRAL_RULES } from "./mistral-rules.ts";
import { MISTRAL_SCHEMA } from "./mistral-schema.ts";
import { type MistralView, viewMistral } from "./mistral-view.ts";
import type { MistralModel } from "./models.ts";
import { MISTRAL_FAULT_FRAMES, renderMistral, renderMistralStream } from "./render-mistral.ts";

export interface MistralOptions {
  /** Additional models, by id; an entry replaces the built-in one. */
  readonly models?: Readonly<Record<string, MistralModel>>;
}

export interface MistralServerOptions extends StrictServerOptions, MistralOptions {}

/** Starts a strict server of Mistral's chat API on 127.0.0.1. */
export function startMistralServer(options: MistralServerOptions = {}): Promise<StrictServer> {
  return startWireServer(mistralWire(options), options);
}

/** Every rule that a body breaks, in table order; empty for a valid body. */
export function checkMistralRequest(body: JsonObject, options: MistralOptions = {}): readonly RuleViolation[] {
  return checkBody(mistralWire(options), "/v1/chat/completions", body);
}

const checkShape = createShapeCheck(MISTRAL_SCHEMA);

/** Tools, the leading system messages and the others, each message as it was sent. */
export function canonicalMistral(body: JsonObject): CanonicalRequest {
  const messages = entriesOf(body["messages"]);
  const lead = messages.findIndex((entry) => !entry.startsWith('{"role":"system"'));
  const split = lead === -1 ? messages.length : lead;
  return { tools: entriesOf(body["tools"]), system: messages.slice(0, split), messages: messages.slice(split) };
}

function mistralWire({ models = {} }: MistralOptions): Wire<MistralView> {
  return {
    format: "mistral",
    maxRequestBytes: 64 * 1024 * 1024,
    minCacheTokens: 1024,
    rules: MISTRAL_RULES,
    modelOf: (_path, body) => stringOf(body["model"]),
    checkShape,
    view: (_path, body) => viewMistral(body, models),
    canonical: canonicalMistral,
    streams: (_path, body) => body["stream"] === true,
    wantsStream: (_path, bytes) => bytes.includes('"stream":true'),
    renderStream: renderMistralStream,
    renderWhole: renderMistral,
    keepAliveFrame: ": keep-alive\n\n",
    faultFrames: MISTRAL_FAULT_FRAMES,
    errors: MISTRAL_ERRORS,
    errorBody: mistralErrorBody,
    headers: () => ({ "mistral-correlation-id": freshId("", 16) }),
  };
}
