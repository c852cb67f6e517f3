import type { JsonObject, JsonValue, ServerSandbox } from "@factotum/agent-contract";

/** A program and its arguments. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
}

/** One of `lsp.servers`, or one that is looked for. */
export interface ServerSettings {
  /** A configured server has one, which is started as it is written; of one that is looked for the first is used that is installed. */
  readonly programs: readonly ServerProgram[];
  readonly isDetected: boolean;
  /** References to secrets, opaque to this package. */
  readonly env: Readonly<Record<string, JsonValue>>;
  /** Ids of the languages as the protocol has them. The first one names the tools. */
  readonly languages: readonly string[];
  /** Language ids by the ends of file names, such as `.ts`. Added to those that are known for the languages. */
  readonly extensions: Readonly<Record<string, string>>;
  /** Names of files that mark the root of a project. */
  readonly rootMarkers: readonly string[];
  readonly initializationOptions?: JsonValue | undefined;
  /** What the server reads by sections, such as `{ yaml: { validate: true } }`. */
  readonly settings: JsonObject;
  readonly sandbox: ServerSandbox;
}
