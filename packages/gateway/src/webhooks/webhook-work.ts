import type { ThinkingLevel } from "@factotum/agent-contract";
import { THINKING_LEVELS, withoutUndefined } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { WebhookMapping, WebhooksConfig } from "@factotum/config";
import * as z from "zod";
import { isSessionKey, keyPart } from "../routing/session-key.ts";
import { MAX_EVENT_CHARS } from "../schedule/system-events.ts";
import { missingPath, renderTemplate } from "./render-template.ts";
import type { WebhookFacts } from "./render-template.ts";

/** UTF-16 units of a request that a model is shown. */
const MAX_PAYLOAD_CHARS = 32_000;

/** What a request asks for. */
export interface WebhookWork {
  readonly type: "agent" | "wake";
  /** The name of the mapping, or what the request calls itself. */
  readonly name: string;
  readonly agentId?: string;
  readonly sessionKey?: string;
  /** The owner's words; absent: the gateway's. */
  readonly task?: string;
  /** Text of others. */
  readonly payload: string;
  readonly wakeMode: "now" | "next-heartbeat";
  /** `owner`, `none`, or an address. */
  readonly deliver: string;
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly timeoutMs?: number;
  readonly tools?: readonly string[];
  /** Of a request that may come again. */
  readonly idempotencyKey?: string;
}

/** What a request asks for, or the field that is wrong. */
export type ParsedWork =
  | { readonly type: "work"; readonly work: WebhookWork }
  | { readonly type: "refused"; readonly field: string; readonly message: string };

const text = (maxChars: number): z.ZodString => z.string().max(maxChars).regex(/\S/, { error: "a text is expected" });
const name = z.string().min(1).max(200);

const WakeSchema = z.lazy(() =>
  z.strictObject({ text: text(MAX_EVENT_CHARS), mode: z.enum(["now", "next-heartbeat"]).default("now"), idempotencyKey: name.optional() }),
);

const AgentSchema = z.lazy(() =>
  z.strictObject({
    message: text(MAX_PAYLOAD_CHARS),
    name: z.string().min(1).max(60).default("agent"),
    agentId: name.optional(),
    sessionKey: name.optional(),
    wakeMode: z.enum(["now", "next-heartbeat"]).default("now"),
    deliver: z.boolean().default(true),
    channel: z
      .string()
      .regex(/^[a-z0-9_-]+$/)
      .optional(),
    to: name.optional(),
    accountId: z
      .string()
      .regex(/^[^/:\s]+$/)
      .optional(),
    model: name.optional(),
    thinking: z.enum(THINKING_LEVELS).optional(),
    timeoutSeconds: z.int().min(1).max(86_400).optional(),
    toolsAllow: z.array(name).max(200).optional(),
    idempotencyKey: name.optional(),
  }),
);

/** Reads the body of `wake`. Pure. */
export function parseWake(body: unknown): ParsedWork {
  const parsed = WakeSchema.safeParse(body);
  if (!parsed.success) return refusedBy(parsed.error);
  const { text: payload, mode, idempotencyKey } = parsed.data;
  return {
    type: "work",
    work: { type: "wake", name: "wake", payload, wakeMode: mode, deliver: "none", ...withoutUndefined({ idempotencyKey }) },
  };
}

/** Reads the body of `agent`, within what the configuration lets a request choose. Pure. */
export function parseAgent(body: unknown, config: WebhooksConfig): ParsedWork {
  const parsed = AgentSchema.safeParse(body);
  if (!parsed.success) return refusedBy(parsed.error);
  const {
    message: payload,
    timeoutSeconds,
    toolsAllow: tools,
    deliver,
    channel,
    to,
    accountId,
    sessionKey,
    wakeMode,
    ...rest
  } = parsed.data;
  const { agentId, model, thinking, idempotencyKey } = rest;
  const isSession = sessionKey !== undefined;
  if (isSession && !maySetSession(sessionKey, config))
    return refused("sessionKey", "A request may name a session only as hooks.allowRequestSessionKey and its prefixes permit.");
  if (isSession && (model !== undefined || tools !== undefined))
    return refused(
      model === undefined ? "toolsAllow" : "model",
      "Only a request with a session of its own has a model and tools of its own.",
    );
  const address = deliver ? addressOf({ channel, to, accountId }, config) : "none";
  if (typeof address !== "string") return address;
  const asked = withoutUndefined({ agentId, sessionKey, model, thinking, tools, idempotencyKey });
  const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
  const type = wakeMode === "now" ? "agent" : "wake";
  return {
    type: "work",
    work: { type, name: rest.name, payload, wakeMode, deliver: address, ...asked, ...withoutUndefined({ timeoutMs }) },
  };
}

/** What a request to a mapping asks for. Pure. */
export function mappedWork(mapping: WebhookMapping, facts: WebhookFacts): ParsedWork {
  const { name: own, action, sessionKey: session, message, wakeMode, deliver, timeoutSeconds, toolsAllow: tools } = mapping;
  const { agentId, task, model, thinking } = mapping;
  const escape = (value: string): string => keyPart(value, { caseSensitive: true });
  // Requests without the value would all share one session.
  const missing = session === undefined ? undefined : missingPath(session, facts);
  if (missing !== undefined)
    return refused("sessionKey", `The session of the mapping ${own} is named by {{${missing}}}, and the request has no such value.`);
  const sessionKey = session === undefined ? undefined : renderTemplate(session, facts, { escape });
  if (sessionKey !== undefined && !isSessionKey(sessionKey))
    return refused("sessionKey", `The session of the mapping ${own} is no session key with the values of this request.`);
  const payload = message === undefined ? JSON.stringify(facts.body, undefined, 1) : renderTemplate(message, facts);
  const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000;
  return {
    type: "work",
    work: {
      type: action,
      name: own,
      payload: cutText(payload, MAX_PAYLOAD_CHARS, "…"),
      wakeMode,
      deliver,
      ...withoutUndefined({ agentId, sessionKey, task, model, thinking, timeoutMs, tools }),
    },
  };
}

function maySetSession(key: string, { allowRequestSessionKey, allowedSessionKeyPrefixes }: WebhooksConfig): boolean {
  return allowRequestSessionKey && isSessionKey(key) && allowedSessionKeyPrefixes.some((prefix) => key.startsWith(prefix));
}

/** A request reaches the owner, and addresses that the configuration lists. */
function addressOf(
  {
    channel,
    to,
    accountId,
  }: { readonly channel: string | undefined; readonly to: string | undefined; readonly accountId: string | undefined },
  { deliverTo }: WebhooksConfig,
): string | Extract<ParsedWork, { type: "refused" }> {
  if (channel === undefined && to === undefined && accountId === undefined) return "owner";
  if (channel === undefined) return refused("channel", "An address needs its channel.");
  if (to === undefined) return refused("to", "An address needs to.");
  const address = `${channel}${accountId === undefined ? "" : `/${accountId}`}:${to}`;
  return deliverTo.includes(address) ? address : refused("to", "hooks.deliverTo does not list this address.");
}

function refusedBy({ issues }: z.ZodError): ParsedWork {
  const [issue] = issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const field = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].map(String).join(".");
  return refused(field === "" ? "body" : field, unknown === undefined ? (issue?.message ?? "It is invalid.") : "There is no such field.");
}

function refused(field: string, message: string): Extract<ParsedWork, { type: "refused" }> {
  return { type: "refused", field, message };
}
