import * as z from "zod";
import { EnvSchema, type Secret } from "./secret.ts";
import { SERVER_SANDBOX_SHAPE, type ServerSandbox } from "./server-sandbox.ts";
import { CountSchema, FreeSchema, NamesSchema, texts, TextSchema } from "./values.ts";

/** A language server. */
export interface LspServerConfig {
  readonly enabled: boolean;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, Secret>>;
  readonly languages: readonly string[];
  readonly extensions: Readonly<Record<string, string>>;
  readonly rootMarkers: readonly string[];
  readonly initializationOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly sandbox: ServerSandbox & { readonly workspace: "ro" | "rw" };
}

/** Language servers, and what they are used for. */
export interface LspConfig {
  readonly servers: Readonly<Record<string, LspServerConfig>>;
  readonly detect: boolean;
  readonly workspacePrograms: boolean;
  readonly changeDiagnostics: boolean;
  readonly idleMinutes: number;
  readonly maxServers: number;
}

const LspSandboxSchema = z
  .strictObject({
    ...SERVER_SANDBOX_SHAPE,
    workspace: z
      .enum(["ro", "rw"])
      .default("ro")
      .describe("With `on`: access to the workspace. What is read-only for the conversation stays so."),
  })
  .prefault({})
  .describe("Where the program runs.");

/** Parses one of `lsp.servers`. */
export const LspServerSchema: z.ZodType<LspServerConfig> = z.lazy(() =>
  z.strictObject({
    enabled: z.boolean().default(true).describe("`false` switches the server off."),
    command: TextSchema.describe("Program of the language server."),
    args: z.array(z.string()).default([]).describe("Its arguments."),
    env: EnvSchema.default({}).describe("Its environment variables."),
    languages: NamesSchema.default([]).describe(
      "Ids of its languages, such as `typescript`. The first one is in the names of its tools. Unset: the name of the server.",
    ),
    extensions: z
      .record(texts("an extension begins with a dot, such as .vue", /^\.[^./\\]+$/), TextSchema)
      .default({})
      .describe("Language ids by the extensions of files, in addition to those that are known for its languages."),
    rootMarkers: NamesSchema.default([]).describe(
      "Files that mark the root of a project. Unset: those that are known for the language. Without one the root is the workspace.",
    ),
    initializationOptions: FreeSchema.optional().describe("What the server is given when it starts."),
    settings: FreeSchema.default({}).describe("What the server asks for by sections, such as `{ yaml: { validate: true } }`."),
    sandbox: LspSandboxSchema,
  }),
);

/** Parses `lsp`. */
export const LspSchema: z.ZodType<LspConfig> = z
  .strictObject({
    servers: z.record(TextSchema, LspServerSchema).default({}).describe("The servers, by name."),
    detect: z
      .boolean()
      .default(false)
      .describe(
        "Whether well-known servers are used that are installed on the `PATH`. They read the project, and some run programs of it.",
      ),
    workspacePrograms: z
      .boolean()
      .default(false)
      .describe("Whether `detect` also takes programs of the workspace, such as `node_modules/.bin`. The assistant can write them."),
    changeDiagnostics: z.boolean().default(true).describe("Whether changes of files come back with the errors that they introduce."),
    idleMinutes: CountSchema.default(10).describe("Minutes without use after which a server is stopped."),
    maxServers: CountSchema.default(4).describe("Servers that run at the same time; another one takes the place of one that rests."),
  })
  .describe("Language servers.");
