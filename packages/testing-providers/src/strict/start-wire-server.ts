import type { JsonObject } from "../json.ts";
import type { Answer } from "../server/answer.ts";
import { breakFrames, streamFaultOf } from "../server/body-fault.ts";
import type { CapturedRequest } from "../server/captured-request.ts";
import type { PreparedReply } from "../server/prepared-reply.ts";
import type { RuleViolation } from "../server/rule-violation.ts";
import { type Arrival, type EngineFormat, startEngine } from "../server/strict-engine.ts";
import { AutomaticPromptCache, type PromptTokens } from "./prompt-cache.ts";
import { type Finding, firstOf, type Transport, type WireRule } from "./rule.ts";
import { type MessageReply, sayText, type ScriptedReply } from "./scripted-reply.ts";
import type { StrictServer, StrictServerOptions } from "./strict-server.ts";
import { type RenderedReply, stopOf, type Wire } from "./wire.ts";

/** Starts a strict server of one wire format on 127.0.0.1. */
export async function startWireServer<View>(wire: Wire<View>, options: StrictServerOptions): Promise<StrictServer> {
  const controls = await startEngine(new WireServerFormat(wire, options), { now: options.now, upstream: options.upstream });
  // Not a spread: `violations` is a getter that looks at the requests of the moment.
  return Object.defineProperties(
    { ...controls, format: wire.format },
    { violations: { get: () => controls.violations, enumerable: true } },
  );
}

/** Every rule of shape and body that a request breaks, in table order. Pure. */
export function checkBody<View>(wire: Wire<View>, path: string, body: JsonObject): readonly RuleViolation[] {
  const faults = wire.checkShape(body);
  const shape = wire.rules.flatMap((rule) =>
    rule.type === "shape"
      ? toViolations(
          rule,
          firstOf(faults, (fault) => rule.check(fault)),
        )
      : [],
  );
  if (shape.length > 0) return shape;
  const view = wire.view(path, body);
  return wire.rules.flatMap((rule) => (rule.type === "body" ? toViolations(rule, rule.check(view)) : []));
}

function checkTransport<View>(wire: Wire<View>, transport: Transport): readonly RuleViolation[] {
  for (const rule of wire.rules) {
    const finding = rule.type === "transport" ? rule.check(transport) : undefined;
    if (finding !== undefined) return toViolations(rule, finding);
  }
  return [];
}

function toViolations(rule: { readonly id: string }, finding: Finding | undefined): RuleViolation[] {
  if (finding === undefined) return [];
  const { message, param } = finding;
  return [{ rule: rule.id, message, ...(param !== undefined && { param }) }];
}

class WireServerFormat<View> implements EngineFormat<ScriptedReply, PromptTokens> {
  readonly maxRequestBytes: number;
  readonly #wire: Wire<View>;
  readonly #options: StrictServerOptions;
  readonly #cache = new AutomaticPromptCache();

  constructor(wire: Wire<View>, options: StrictServerOptions) {
    this.#wire = wire;
    this.#options = options;
    this.maxRequestBytes = wire.maxRequestBytes;
  }

  inspect(arrival: Arrival): { readonly violations: readonly RuleViolation[]; readonly usage: PromptTokens | undefined } {
    const { path, body, nowMs } = arrival;
    const transport = checkTransport(this.#wire, { ...arrival, apiKey: this.#options.apiKey });
    if (transport.length > 0 || body === undefined) return { violations: transport, usage: undefined };
    const violations = checkBody(this.#wire, path, body);
    if (violations.length > 0) return { violations, usage: undefined };
    const minTokens = this.#options.minCacheTokens ?? this.#wire.minCacheTokens;
    const model = this.#wire.modelOf(path, body);
    return { violations, usage: this.#cache.charge(this.#wire.canonical(body), { model, nowMs, minTokens }) };
  }

  refuse({ rule: id, message, param }: RuleViolation): Answer {
    const rule = this.#wire.rules.find((candidate: WireRule<View>) => candidate.id === id);
    if (rule === undefined) throw new Error(`No rule is called ${id}.`);
    const status = rule.status ?? this.#wire.errors[rule.errorType].status;
    return this.#json(status, this.#wire.errorBody(rule.errorType, { message, param, code: rule.code, status }));
  }

  fail(message: string): Answer {
    return this.#json(500, this.#wire.errorBody("server", { message }));
  }

  answer(reply: ScriptedReply, request: CapturedRequest<PromptTokens>): Answer {
    const wire = this.#wire;
    switch (reply.type) {
      case "raw":
        return { type: "whole", status: reply.status, headers: reply.headers, body: reply.body };
      case "error": {
        const { errorType, message, headers } = reply;
        const status = reply.status ?? wire.errors[errorType].status;
        return this.#json(status, wire.errorBody(errorType, { message, status }), headers);
      }
      case "message": {
        const { fault, chunkBytes } = reply;
        const { path, body = {}, usage } = request;
        const rendered = this.#render(reply, wire.modelOf(path, body), body, usage);
        const streams = wire.streams(path, body);
        return {
          type: "frames",
          headers: { "content-type": streams ? "text/event-stream; charset=utf-8" : "application/json", ...wire.headers() },
          frames: streams
            ? breakFrames(wire.renderStream(rendered), fault, wire.faultFrames)
            : [JSON.stringify(wire.renderWhole(rendered))],
          keepAliveFrame: streams ? wire.keepAliveFrame : " ",
          chunkBytes,
          fault: streamFaultOf(fault),
          notBefore: fault?.type === "slow-headers" ? fault.until : undefined,
        };
      }
    }
  }

  prepare(text: string): PreparedReply {
    const reply = this.#render({ ...sayText(text), deltaCharacters: Number.MAX_SAFE_INTEGER }, "instant-reply", {}, undefined);
    return {
      stream: Buffer.from(this.#wire.renderStream(reply).join("")),
      whole: Buffer.from(JSON.stringify(this.#wire.renderWhole(reply))),
    };
  }

  wantsStream(path: string, bytes: Buffer): boolean {
    return this.#wire.wantsStream(path, bytes);
  }

  #render(reply: MessageReply, model: string, body: JsonObject, prompt: PromptTokens | undefined): RenderedReply {
    const tokens = (part: string): number => Math.ceil(part.length / 4);
    const reasoning = reply.content.reduce((sum, block) => sum + (block.type === "thinking" ? tokens(block.text) : 0), 0);
    const said = reply.content.reduce(
      (sum, block) => sum + tokens(block.type === "toolCall" ? JSON.stringify(block.arguments) : block.text),
      0,
    );
    const counted = { input: 0, cacheRead: 0, cacheWrite: 0, ...prompt, output: said, reasoning };
    return {
      content: reply.content,
      stop: stopOf(reply),
      usage: { ...counted, ...reply.usage },
      model,
      deltaCharacters: reply.deltaCharacters ?? 16,
      body,
    };
  }

  #json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
    const all = { "content-type": "application/json", ...this.#wire.headers(), ...headers };
    return { type: "whole", status, headers: all, body: JSON.stringify(body) };
  }
}
