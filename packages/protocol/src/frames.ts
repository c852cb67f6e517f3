import * as z from "zod";
import { parserOf } from "./parser-of.ts";
import { type ConfigFinding, ConfigFindingSchema } from "./shapes/config.ts";

/** Largest frame after authentication, bytes. A larger one closes the connection with code 1009. */
export const MAX_FRAME_BYTES: number = 1024 * 1024;

/** Largest frame before authentication, bytes. */
export const MAX_UNAUTHENTICATED_FRAME_BYTES: number = 64 * 1024;

/** Milliseconds that a client has between opening the socket and its `connect` frame. */
export const CONNECT_TIMEOUT_MS = 15_000;

/** WebSocket close codes of the gateway. */
export const CLOSE_CODES: {
  readonly unauthorized: 4401;
  readonly unsupportedProtocol: 4406;
  readonly connectTimeout: 4408;
  readonly shutdown: 1001;
  readonly slowConsumer: 4429;
} = {
  unauthorized: 4401,
  unsupportedProtocol: 4406,
  connectTimeout: 4408,
  shutdown: 1001,
  slowConsumer: 4429,
};

/**
 * - `unauthorized`: no valid credential. - `forbidden`: the credential may not do this.
 * - `invalid-request`: the parameters do not fit; the message names the field. - `method-unknown`: the method does not exist.
 * - `not-found`, `conflict`: about the named thing. - `unavailable`: not now (starting, shutting down, disk full); retry.
 * - `too-large`: over a limit. - `internal`: a bug; the log has more under the same request id.
 */
export const RpcErrorCodeSchema: z.ZodEnum<{
  unauthorized: "unauthorized";
  forbidden: "forbidden";
  "invalid-request": "invalid-request";
  "method-unknown": "method-unknown";
  "not-found": "not-found";
  conflict: "conflict";
  unavailable: "unavailable";
  "too-large": "too-large";
  internal: "internal";
}> = z.enum([
  "unauthorized",
  "forbidden",
  "invalid-request",
  "method-unknown",
  "not-found",
  "conflict",
  "unavailable",
  "too-large",
  "internal",
]);

/** Code of a failed request. */
export type RpcErrorCode = z.infer<typeof RpcErrorCodeSchema>;

/** Why a request failed. `message` says what to do. */
export interface RpcErrorBody {
  readonly code: RpcErrorCode;
  readonly message: string;
  /** What is wrong with which key, also in `message`; only of `config.patch`. */
  readonly problems?: readonly ConfigFinding[];
}

const RpcErrorBodySchema = z.lazy(() =>
  z.strictObject({ code: RpcErrorCodeSchema, message: z.string(), problems: z.array(ConfigFindingSchema).optional() }),
);

/** First frame of a client. A browser sends its token here, never in the URL. */
export interface ConnectFrame {
  readonly type: "connect";
  readonly minProtocol: number;
  readonly maxProtocol: number;
  readonly client: { readonly name: string; readonly version: string };
  readonly auth?: { readonly token: string };
}

/** One request. `id` is the client's, unique on its connection. */
export interface RequestFrame {
  readonly type: "req";
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}

/** Frames of a client. */
export type ClientFrame = ConnectFrame | RequestFrame;

/** Answer to `connect`. */
export interface HelloFrame {
  readonly type: "hello";
  readonly protocol: number;
  readonly server: { readonly version: string };
  readonly connectionId: string;
}

/** Answer to a request. */
export type ResponseFrame =
  | { readonly type: "res"; readonly id: string; readonly ok: true; readonly result: unknown }
  | { readonly type: "res"; readonly id: string; readonly ok: false; readonly error: RpcErrorBody };

/** An event. `seq` counts the events of the connection from 1, without gaps. */
export interface EventFrame {
  readonly type: "event";
  readonly event: string;
  readonly seq: number;
  readonly payload: unknown;
}

/** Sent before the gateway closes a connection that it does not admit. */
export interface RefusedFrame {
  readonly type: "refused";
  readonly error: RpcErrorBody;
}

/** Frames of the gateway. */
export type ServerFrame = HelloFrame | ResponseFrame | EventFrame | RefusedFrame;

/** Parses a client's frame. */
export const ClientFrameSchema: z.ZodType<ClientFrame> = parserOf<ClientFrame>()(() =>
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("connect"),
      minProtocol: z.number().int(),
      maxProtocol: z.number().int(),
      client: z.strictObject({ name: z.string().max(100), version: z.string().max(100) }),
      // The frame has a limit: a token that is too long is as wrong as any other.
      auth: z.strictObject({ token: z.string() }).optional(),
    }),
    z.strictObject({ type: z.literal("req"), id: z.string().min(1).max(100), method: z.string().max(100), params: z.unknown().optional() }),
  ]),
);

/** Parses a frame of the gateway. */
export const ServerFrameSchema: z.ZodType<ServerFrame> = parserOf<ServerFrame>()(() =>
  z.union([
    z.strictObject({
      type: z.literal("hello"),
      protocol: z.number(),
      server: z.strictObject({ version: z.string() }),
      connectionId: z.string(),
    }),
    z.strictObject({ type: z.literal("res"), id: z.string(), ok: z.literal(true), result: z.unknown() }),
    z.strictObject({ type: z.literal("res"), id: z.string(), ok: z.literal(false), error: RpcErrorBodySchema }),
    z.strictObject({ type: z.literal("event"), event: z.string(), seq: z.number(), payload: z.unknown() }),
    z.strictObject({ type: z.literal("refused"), error: RpcErrorBodySchema }),
  ]),
);
