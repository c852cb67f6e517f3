import { timingSafeEqual, createHash } from "node:crypto";
import { createServer, request as sendRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Transform, type Duplex } from "node:stream";
import { pipeline } from "node:stream";
import type { AllowsPrivate } from "../public-fetch/private-places.ts";
import { resolveTarget, type ResolveOptions, type ResolvedAddress } from "../public-fetch/resolve-target.ts";

/** A request that the proxy has refused: the host alone, never a path. */
export interface RefusedRequest {
  readonly host: string;
  readonly reason: string;
  /** Its address is private: `allowsPrivate` can open it. */
  readonly isPrivate?: true;
}

/** What a proxy lets through. */
export interface ForwardProxyOptions extends ResolveOptions {
  /** The password that every request must bring, with any user name. */
  readonly token: string;
  /** Hosts and ports that may be reached. Absent: all of the open internet. */
  readonly allowsHost?: (host: string, port: number) => boolean;
  /** Private places that are open. */
  readonly allowsPrivate: AllowsPrivate;
  /** Told of each refusal. */
  readonly onRefused: (request: RefusedRequest) => void;
  /** Path of a Unix socket to listen on, at most 107 bytes; it is removed when the proxy is closed. Absent: a free TCP port of loopback. */
  readonly socketPath?: string | undefined;
  /** At the same time. Default 256. */
  readonly maxConnections?: number;
  /** In one direction of one connection. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Until the other side has accepted the connection. Default 20,000. */
  readonly connectTimeoutMs?: number;
  /** Without data in either direction. Default 120,000. */
  readonly idleTimeoutMs?: number;
}

/** A running proxy. */
export interface ForwardProxy extends AsyncDisposable {
  /** On loopback; 0 if it listens on a socket. */
  readonly port: number;
}

/** Names an answer of the proxy itself, with the reason. */
export const REFUSAL_HEADER = "x-factotum-refusal";

const DEFAULTS = { maxConnections: 256, maxBytes: 256 * 1024 ** 2, connectTimeoutMs: 20_000, idleTimeoutMs: 120_000 };

/** Headers that concern one connection alone. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

type Limits = ForwardProxyOptions & typeof DEFAULTS;

/**
 * Starts an HTTP proxy, on loopback or on a Unix socket, for plain requests and CONNECT, that reaches the open internet alone (R22): every name is resolved once, every one of its
 * addresses must be public or opened by `allowsPrivate`, and the connection goes to the address that was checked. Redirects come back to it as new requests.
 */
export async function startForwardProxy(options: ForwardProxyOptions): Promise<ForwardProxy> {
  const limits: Limits = { ...DEFAULTS, ...options };
  const open = new Set<Duplex>();
  const server = createServer({ maxHeaderSize: 32 * 1024 });
  server.maxConnections = limits.maxConnections;
  server.on("connection", (socket) => keep(socket, open));
  server.on("request", (request, response) => void forward(request, response, limits));
  server.on(
    "connect",
    (request: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(request, { socket, head }, { limits, open }),
  );
  server.on("clientError", (_error, socket) => void socket.destroy());
  const port = await listen(server, limits.socketPath);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** The port, or 0 for a socket. Rejects if the place is taken or cannot be used. */
async function listen(server: Server, socketPath: string | undefined): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  if (socketPath === undefined) server.listen(0, "127.0.0.1", resolve);
  else server.listen(socketPath, resolve);
  await promise;
  return socketPath === undefined ? (server.address() as AddressInfo).port : 0;
}

function keep(socket: Duplex, open: Set<Duplex>): void {
  open.add(socket);
  socket.once("close", () => open.delete(socket));
  // A broken connection is closed at once.
  socket.on("error", () => socket.destroy());
}

/** Why a request is not passed on. */
interface Refusal {
  readonly status: 400 | 403 | 407 | 502;
  readonly reason: string;
}

type Checked = { readonly type: "open"; readonly url: URL; readonly at: ResolvedAddress } | ({ readonly type: "refused" } & Refusal);

/** Checks the password first, so that other programs neither learn which hosts are allowed nor make the proxy resolve names. */
async function check(headers: IncomingHttpHeaders, address: string, limits: Limits, signal: AbortSignal): Promise<Checked> {
  if (!isAuthorized(headers["proxy-authorization"], limits.token))
    return { type: "refused", status: 407, reason: "the proxy needs its password" };
  const url = URL.parse(address);
  if (url === null) return { type: "refused", status: 400, reason: "the request names no address" };
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const refuse = (reason: string, isPrivate?: true): Checked => {
    limits.onRefused({ host, reason, ...(isPrivate === undefined ? {} : { isPrivate }) });
    return { type: "refused", status: 403, reason };
  };
  if (limits.allowsHost !== undefined && !limits.allowsHost(host, portOf(url))) return refuse(`${url.host} is not among the allowed hosts`);
  const target = await resolveTarget(url.href, { allowsPrivate: limits.allowsPrivate, signal }, limits);
  if (target.type === "open") return target;
  return target.reason === "not-allowed"
    ? refuse(target.message, target.isPrivate)
    : { type: "refused", status: 502, reason: target.message };
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

function isAuthorized(header: string | undefined, token: string): boolean {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/.exec(header ?? "")?.[1];
  if (encoded === undefined) return false;
  const given = Buffer.from(encoded, "base64").toString();
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given.slice(given.indexOf(":") + 1)), digest(token));
}

/** Passes on a plain HTTP request. */
async function forward(request: IncomingMessage, response: ServerResponse, limits: Limits): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const target = await check(request.headers, /^http:\/\//i.test(request.url ?? "") ? (request.url ?? "") : "", limits, gone.signal);
    if (target.type === "refused") return answer(response, target);
    const { url, at } = target;
    const outgoing = sendRequest(url, {
      method: request.method ?? "GET",
      // The address alone says which host is meant.
      headers: { ...passedHeaders(request.headers), host: url.host },
      setHost: false,
      agent: false,
      signal: gone.signal,
      timeout: limits.idleTimeoutMs,
      lookup: (_host, wanted, callback) => (wanted.all === true ? callback(null, [at]) : callback(null, at.address, at.family)),
    });
    const fail = (reason: string): void => void outgoing.destroy(new Error(reason));
    const timer = setTimeout(fail, limits.connectTimeoutMs, "the server did not accept the connection in time");
    outgoing.once("socket", (socket) => socket.once("connect", () => clearTimeout(timer)));
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.once("timeout", () => fail("the server sent nothing for too long"));
    outgoing.on("error", (error) => (response.headersSent ? response.destroy() : answer(response, { status: 502, reason: error.message })));
    outgoing.once("upgrade", (_answer, socket: Duplex) => socket.destroy());
    outgoing.once("response", (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, passedHeaders(incoming.headers));
      pipeline(incoming, capped(limits.maxBytes), response, () => outgoing.destroy());
    });
    pipeline(request, capped(limits.maxBytes), outgoing, () => {});
  } catch (error) {
    if (!response.headersSent && !gone.signal.aborted)
      answer(response, { status: 502, reason: error instanceof Error ? error.message : "the connection failed" });
  }
}

function passedHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? "").toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) || named.has(name) || name === REFUSAL_HEADER ? [] : [[name, value] as const],
    ),
  );
}

/** Opens a connection to the named host and port, for everything that is encrypted, and for WebSockets. */
async function tunnel(
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  { limits, open }: { readonly limits: Limits; readonly open: Set<Duplex> },
): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  const end = ({ status, reason }: Refusal): void => void socket.end(refusalHead(status, reason));
  try {
    const target = await check(request.headers, `https://${request.url ?? ""}`, limits, gone.signal);
    if (target.type === "refused") return end(target);
    const outgoing = await reach(target, limits, gone.signal);
    keep(outgoing, open);
    for (const side of [socket as Socket, outgoing]) side.setTimeout(limits.idleTimeoutMs, () => side.destroy());
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) outgoing.write(head);
    const close = (): void => {
      socket.destroy();
      outgoing.destroy();
    };
    pipeline(socket, capped(limits.maxBytes), outgoing, close);
    pipeline(outgoing, capped(limits.maxBytes), socket, close);
  } catch (error) {
    if (!gone.signal.aborted) end({ status: 502, reason: error instanceof Error ? error.message : "the connection failed" });
  }
}

async function reach({ url, at }: Extract<Checked, { type: "open" }>, { connectTimeoutMs }: Limits, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const outgoing = connect({ host: at.address, family: at.family, port: url.port === "" ? 443 : Number(url.port) });
  const fail = (reason: string): void => void outgoing.destroy(new Error(reason));
  const timer = setTimeout(fail, connectTimeoutMs, "the server did not accept the connection in time");
  const onAbort = (): void => fail("the connection was ended");
  signal.addEventListener("abort", onAbort, { once: true });
  outgoing.once("connect", () => resolve(outgoing));
  outgoing.on("error", reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Breaks off what is larger. */
function capped(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, callback) => {
      bytes += chunk.length;
      if (bytes > maxBytes) callback(new Error(`it is larger than ${maxBytes} bytes`));
      else callback(null, chunk);
    },
  });
}

function answer(response: ServerResponse, { status, reason }: Refusal): void {
  response.writeHead(status, { ...ownHeaders(status, reason), connection: "close" }).end(`${reason}\n`);
}

function refusalHead(status: Refusal["status"], reason: string): string {
  const headers = Object.entries(ownHeaders(status, reason)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Refused\r\n${headers.join("")}connection: close\r\n\r\n`;
}

function ownHeaders(status: Refusal["status"], reason: string): Readonly<Record<string, string>> {
  return {
    [REFUSAL_HEADER]: reason.replaceAll(/[^\x20-\x7e]/g, "?"),
    "content-type": "text/plain; charset=utf-8",
    ...(status === 407 ? { "proxy-authenticate": 'Basic realm="factotum"' } : {}),
  };
}
