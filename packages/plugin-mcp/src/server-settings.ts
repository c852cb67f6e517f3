import { createHash } from "node:crypto";
import type { JsonValue, ServerSandbox } from "@factotum/agent-contract";

interface ServerCommon {
  /** Names of the tools that are used, where `*` matches any characters. Absent: all. */
  readonly toolFilter?: readonly string[] | undefined;
  /** Milliseconds that a call may take; progress extends it. */
  readonly timeoutMs: number;
  /** Its results count as trusted text, and what it says of its tools is believed. */
  readonly trusted: boolean;
  /** It may have the model write for it. Only together with `trusted`; false if absent. */
  readonly sampling?: boolean | undefined;
}

/** A reference to a secret, opaque to this package. */
type SecretReference = JsonValue;

/** A local program that speaks MCP on its standard input and output. */
export interface LocalServer extends ServerCommon {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, SecretReference>>;
  /** Absolute. Absent: the workspace. */
  readonly cwd?: string | undefined;
  /** `workspace`: the server is given the workspace as its root. */
  readonly roots: "none" | "workspace";
  readonly sandbox: ServerSandbox;
}

/** What the owner has settled for the login at a server. */
export interface OauthSettings {
  /** A client that is registered there already. */
  readonly clientId?: string | undefined;
  /** Only together with `issuer`, so that it goes nowhere else. */
  readonly clientSecret?: SecretReference | undefined;
  /** Address of a document that describes this client. */
  readonly clientMetadataUrl?: string | undefined;
  /** The only authorization server that is used. Absent: the one that the server names. */
  readonly issuer?: string | undefined;
  /** Asked for if the server names no scope. */
  readonly scope?: string | undefined;
  /** Port of this machine to which codes are sent. Absent: a free one, which is kept. */
  readonly redirectPort?: number | undefined;
}

/** A server at an address. */
export interface RemoteServer extends ServerCommon {
  readonly url: string;
  readonly transport: "streamable-http" | "sse";
  readonly headers: Readonly<Record<string, SecretReference>>;
  /** Bearer token. */
  readonly auth?: SecretReference | undefined;
  readonly oauth?: OauthSettings | undefined;
}

/** One of `mcp.servers`. */
export type ServerSettings = LocalServer | RemoteServer;

/** Whether a server is a program of this machine. */
export function isLocal(settings: ServerSettings): settings is LocalServer {
  return "command" in settings;
}

/** Whether a server may have the model write for it. */
export function maySample({ trusted, sampling = false }: ServerSettings): boolean {
  return trusted && sampling;
}

/** Tells settings apart; they hold references to secrets, and literal ones only as their hash. */
export function fingerprintOf(settings: ServerSettings): string {
  return createHash("sha256").update(JSON.stringify(settings)).digest("hex").slice(0, 32);
}
