import * as z from "zod";
import { EnvSchema, SecretSchema, type Secret } from "./secret.ts";
import { SERVER_SANDBOX_SHAPE, type ServerSandbox } from "./server-sandbox.ts";
import { CountSchema, NamesSchema, TextSchema } from "./values.ts";

interface McpServerCommon {
  readonly enabled: boolean;
  readonly toolFilter?: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly trusted: boolean;
  readonly sampling: boolean;
}

/** A tool server: a local program, or one at an address. */
export type McpServerConfig =
  | (McpServerCommon & {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, Secret>>;
      readonly cwd?: string | undefined;
      readonly roots: "none" | "workspace";
      readonly sandbox: ServerSandbox & { readonly workspace: "none" | "ro" | "rw" };
    })
  | (McpServerCommon & {
      readonly url: string;
      readonly transport: "streamable-http" | "sse";
      readonly headers: Readonly<Record<string, Secret>>;
      readonly auth?: Secret | undefined;
      readonly oauth?: McpOauthConfig | undefined;
    });

/** What is settled for the login at a tool server. */
interface McpOauthConfig {
  readonly clientId?: string | undefined;
  readonly clientSecret?: Secret | undefined;
  readonly clientMetadataUrl?: string | undefined;
  readonly issuer?: string | undefined;
  readonly scope?: string | undefined;
  readonly redirectPort?: number | undefined;
}

const mcpShape = () => ({
  enabled: z.boolean().default(true).describe("`false` switches the server off."),
  toolFilter: NamesSchema.optional().describe(
    "Tools of the server that are used, by its own names, where `*` matches any characters. Unset: all.",
  ),
  timeoutMs: CountSchema.default(60_000).describe("Milliseconds that a call may take. Progress extends it, up to ten times."),
  trusted: z.boolean().default(false).describe("Whether its results count as trusted text, and what it says of its tools is believed."),
  sampling: z
    .boolean()
    .default(false)
    .describe("Whether it may ask, in a call, that the model writes for it. You are asked each time. Needs `trusted`."),
});

/** The request is the server's words, and costs money. */
function needsTrust<Server extends z.ZodType<Pick<McpServerCommon, "trusted" | "sampling">>>(server: Server): Server {
  return server.refine(({ trusted, sampling }) => trusted || !sampling, {
    path: ["sampling"],
    message: "only a trusted server may have it; set trusted too, or remove it",
  });
}

const McpSandboxSchema = z
  .strictObject({
    ...SERVER_SANDBOX_SHAPE,
    workspace: z
      .enum(["none", "ro", "rw"])
      .default("ro")
      .describe("With `on`: access to the workspace. What is read-only for the conversation stays so."),
  })
  .prefault({})
  .describe("Where the program runs.");

const McpOauthSchema = z
  .strictObject({
    clientId: TextSchema.optional().describe(
      "A client that is registered at its authorization server. Unset: one is registered at the login.",
    ),
    clientSecret: SecretSchema.optional().describe("Secret of that client; needs `clientId` and `issuer`."),
    clientMetadataUrl: z
      .url({ protocol: /^https$/, error: "an address that begins with https:// is expected" })
      .optional()
      .describe("Address of a document that describes the client, for authorization servers that take such documents."),
    issuer: z
      .url({ protocol: /^https?$/, error: "an address that begins with https:// is expected" })
      .optional()
      .describe("The only authorization server that is used; it may be at a private address. Unset: the one that the server names."),
    scope: TextSchema.optional().describe("Scopes that are asked for if the server names none, separated by spaces."),
    redirectPort: z.int().min(1).max(65_535).optional().describe("Port of this machine to which codes are sent. Unset: a free one."),
  })
  .refine(
    ({ clientId, clientSecret, issuer }) => clientSecret === undefined || (clientId !== undefined && issuer !== undefined),
    "clientSecret needs clientId, and the issuer that may get it",
  )
  .describe("The login at a server that wants one (OAuth).");

/** Parses one of `mcp.servers`. */
export const McpServerSchema: z.ZodType<McpServerConfig> = z.lazy(() =>
  z.union([
    needsTrust(
      z.strictObject({
        command: TextSchema.describe("Program of the server."),
        args: z.array(z.string()).default([]).describe("Its arguments."),
        env: EnvSchema.default({}).describe("Its environment variables."),
        cwd: TextSchema.optional().describe("Its working folder. Unset: the workspace."),
        roots: z
          .enum(["none", "workspace"])
          .default("none")
          .describe(
            "`workspace`: it is told that it may work in the agent's workspace. Some servers then forget the folders of their arguments.",
          ),
        sandbox: McpSandboxSchema,
        ...mcpShape(),
      }),
    ),
    needsTrust(
      z.strictObject({
        url: z
          .url({ protocol: /^https?$/, error: "an address that begins with http:// or https:// is expected" })
          .describe("Address of a server that runs elsewhere."),
        transport: z.enum(["streamable-http", "sse"]).default("streamable-http").describe("How the server at that address is spoken to."),
        headers: z.record(TextSchema, SecretSchema).default({}).describe("Headers of requests to it."),
        auth: SecretSchema.optional().describe("Bearer token of requests to it. Unset: a server that wants a login gets one (`oauth`)."),
        oauth: McpOauthSchema.optional(),
        ...mcpShape(),
      }),
    ),
  ]),
);
