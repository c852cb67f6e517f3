import { invalid, MatrixRefusal } from "./refusal.ts";

/** The content of an event. */
export type MatrixContent = Readonly<Record<string, unknown>>;

/** An event as the homeserver keeps it. */
export interface StoredEvent {
  readonly type: string;
  readonly event_id: string;
  readonly room_id: string;
  readonly sender: string;
  readonly origin_server_ts: number;
  readonly state_key?: string;
  content: MatrixContent;
  readonly redacts?: string;
  /** The state that it replaced. */
  readonly replaced?: { readonly content: MatrixContent; readonly sender: string };
  redactedBy?: string;
}

/** The size of an event with its other fields. */
const MAX_EVENT_BYTES = 65_536;
const OVERHEAD_BYTES = 1_500;

/** Refuses contents that the platform cannot sign: numbers with fractions, and events that are too large. */
export function checkContent(content: unknown): asserts content is MatrixContent {
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw invalid("Content must be a JSON object", "M_BAD_JSON");
  const rest: unknown[] = [content];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (typeof value === "number" && !Number.isSafeInteger(value)) throw invalid(`Bad JSON value: float`, "M_BAD_JSON");
    if (typeof value === "object" && value !== null) rest.push(...(Object.values(value) as unknown[]).filter((one) => one !== undefined));
  }
  if (Buffer.byteLength(JSON.stringify(content)) + OVERHEAD_BYTES > MAX_EVENT_BYTES)
    throw new MatrixRefusal(413, "M_TOO_LARGE", "event too large");
}

/** The relation of a content. */
export function relationIn(content: MatrixContent): { readonly type?: string; readonly eventId?: string; readonly key?: string } {
  const relation = content["m.relates_to"];
  if (typeof relation !== "object" || relation === null) return {};
  const { rel_type: type, event_id: eventId, key } = relation as Readonly<Record<string, unknown>>;
  return {
    ...(typeof type === "string" && { type }),
    ...(typeof eventId === "string" && { eventId }),
    ...(typeof key === "string" && { key }),
  };
}

/** A text of a content; empty if it is not a text. */
export function textOf(content: MatrixContent, key: string): string {
  const value = content[key];
  return typeof value === "string" ? value : "";
}
