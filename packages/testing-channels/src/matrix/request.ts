import type { FakeMatrixApp, MatrixUser } from "./app.ts";
import { invalid, MatrixRefusal } from "./refusal.ts";
import type { MatrixStore } from "./store.ts";

/** One received request. */
export interface MatrixRequest {
  readonly method: string;
  /** Below `/_matrix`, decoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Shows or removes something in a room. */
  readonly isChange: boolean;
}

/** What a route needs. */
export interface MatrixCall {
  readonly app: FakeMatrixApp;
  readonly store: MatrixStore;
  readonly user: MatrixUser;
  /** The parts of the path that the route names, decoded. */
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The body as a JSON object. */
  readonly json: () => Readonly<Record<string, unknown>>;
  /** Events by transaction, of all users. */
  readonly transactions: Map<string, string>;
  /** Positions at which the lists of direct chats changed. */
  readonly directSince: Map<string, number>;
  readonly typing: { readonly roomId: string; readonly userId: string; readonly typing: boolean }[];
  readonly receipts: {
    readonly roomId: string;
    readonly userId: string;
    readonly eventId: string;
    readonly threadId: string | undefined;
  }[];
}

/** One endpoint. */
export interface MatrixRoute {
  readonly method: string;
  /** Below `/_matrix`; groups are the parts. */
  readonly path: RegExp;
  readonly isChange?: boolean;
  /** Reads rooms, which a test can refuse. */
  readonly isRead?: boolean;
  run(call: MatrixCall): unknown;
}

/** The bytes of a body as a JSON object. */
export function parseBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw invalid("Content not JSON.", "M_NOT_JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid("Content must be a JSON object.", "M_BAD_JSON");
  return value as Readonly<Record<string, unknown>>;
}

/** A text of a body. */
export function textIn(body: Readonly<Record<string, unknown>>, key: string): string {
  const value = body[key];
  if (typeof value !== "string") throw new MatrixRefusal(400, "M_MISSING_PARAM", `Missing params: ['${key}']`);
  return value;
}
