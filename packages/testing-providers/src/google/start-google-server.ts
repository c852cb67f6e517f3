import type { JsonObject } from "../json.ts";
import type { RuleViolation } from "../server/rule-violation.ts";
import { type CanonicalRequest, entriesOf } from "../strict/prefix-report.ts";
import type { WireRule } from "../strict/rule.ts";
import { createShapeCheck } from "../strict/shape-check.ts";
import { checkBody, startWireServer } from "../strict/start-wire-server.ts";
import type { StrictServer, StrictServerOptions } from "../strict/strict-server.ts";
import type { Wire } from "../strict/wire.ts";
import { CONTENT_RULES } from "./content-rules.ts";
import { GOOGLE_ERRORS, googleErrorBody } from "./errors.ts";
import { GOOGLE_SCHEMA } from "./google-schema.ts";
import { type GoogleView, readPath, viewGoogle } from "./google-view.ts";
import type { GoogleModel } from "./models.ts";
import { DECLARATION_RULES, OPTION_RULES } from "./option-rules.ts";
import { GOOGLE_FAULT_FRAMES, renderGoogle, renderGoogleStream } from "./render-google.ts";
import { GOOGLE_SHAPE_RULES } from "./shape-rules.ts";
import { googleTransportRules, MAX_REQUEST_BYTES } from "./transport-rules.ts";

export interface GoogleOptions {
  /** Additional models, by id; an entry replaces the built-in one. */
  readonly models?: Readonly<Record<string, GoogleModel>>;
}

export interface GoogleServerOptions extends StrictServerOptions, GoogleOptions {}

/** Starts a strict server of the Gemini API on 127.0.0.1. */
export function startGoogleServer(options: GoogleServerOptions = {}): Promise<StrictServer> {
  return startWireServer(googleWire(options), options);
}

/** Every rule that a body breaks, in table order, for the model in the path; empty for a valid body. */
export function checkGoogleRequest(model: string, body: JsonObject, options: GoogleOptions = {}): readonly RuleViolation[] {
  return checkBody(googleWire(options), `/v1beta/models/${model}:generateContent`, body);
}

function rulesFor(models: Readonly<Record<string, GoogleModel>>): readonly WireRule<GoogleView>[] {
  return [...googleTransportRules(models), ...GOOGLE_SHAPE_RULES, ...OPTION_RULES, ...DECLARATION_RULES, ...CONTENT_RULES];
}

/** Every rule, in the order in which a refusal is chosen. */
export const GOOGLE_RULES: readonly WireRule<GoogleView>[] = rulesFor({});

const checkShape = createShapeCheck(GOOGLE_SCHEMA);

/** Tools, the system instruction and the contents, each as sent. */
export function canonicalGoogle(body: JsonObject): CanonicalRequest {
  const { systemInstruction } = body;
  return {
    tools: entriesOf(body["tools"]),
    system: systemInstruction === undefined ? [] : [JSON.stringify(systemInstruction)],
    messages: entriesOf(body["contents"]),
  };
}

function googleWire({ models = {} }: GoogleOptions): Wire<GoogleView> {
  return {
    format: "google-generative-ai",
    maxRequestBytes: MAX_REQUEST_BYTES,
    minCacheTokens: 1024,
    rules: rulesFor(models),
    modelOf: (path) => readPath(path)?.modelId ?? "",
    checkShape,
    view: (path, body) => viewGoogle(path, body, models),
    canonical: canonicalGoogle,
    streams: (path) => readPath(path)?.streams === true,
    wantsStream: (path) => path.includes(":streamGenerateContent"),
    renderStream: renderGoogleStream,
    renderWhole: renderGoogle,
    keepAliveFrame: ": keep-alive\n\n",
    faultFrames: GOOGLE_FAULT_FRAMES,
    errors: GOOGLE_ERRORS,
    errorBody: googleErrorBody,
    headers: () => ({ "x-content-type-options": "nosniff" }),
  };
}
