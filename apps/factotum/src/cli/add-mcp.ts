import { withoutUndefined } from "@factotum/agent-contract";
import type { Command } from "commander";
import type * as McpCommands from "../commands/mcp.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, port as parsePort } from "./options.ts";

interface AddOptions {
  readonly url?: string;
  readonly transport?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
  readonly trusted?: boolean;
  readonly json?: boolean;
}

/** MCP servers: `factotum mcp`. */
export function addMcp(program: Command, context: CliContext, finish: Finish): void {
  const mcp = program
    .command("mcp")
    .description("list, add, import, test, log in at and remove MCP servers, whose tools the assistant uses; serve its conversations");
  const load = async (): Promise<typeof McpCommands> => import("../commands/mcp.ts");
  const format = (options: { json?: boolean }): { json: boolean } => ({ json: options.json === true });
  mcp
    .command("list")
    .description("list the servers with the number of their tools, or why they cannot be used")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).mcpList(context, format(options))));
  mcp
    .command("add")
    .description("add a server: a command after --, or an address")
    .argument("<name>")
    .argument("[command...]", "the program and its arguments, after --")
    .option("--url <url>", "the address of a server that runs elsewhere")
    .option("--transport <transport>", "streamable-http (the default) or sse")
    .option(
      "--env <pair...>",
      "NAME=VALUE for the program; a value is kept in a private file, ${VARIABLE} is read from the gateway's environment",
    )
    .option("--header <pair...>", "NAME=VALUE for requests to the address, kept in the same way")
    .option("--cwd <folder>", "the program's working folder; the workspace if omitted")
    .option("--trusted", "its results count as your own text")
    .addOption(json())
    .action(async (name: string, command: readonly string[], { env = [], header = [], trusted, ...options }: AddOptions) => {
      const { url, transport, cwd } = options;
      const given = { command, env, header, trusted: trusted === true, ...withoutUndefined({ url, transport, cwd }), ...format(options) };
      finish(await (await load()).mcpAdd(context, name, given));
    });
  mcp
    .command("import")
    .description("take over the servers of an mcp.json of Claude Desktop, Cursor or VS Code")
    .argument("<file>")
    .addOption(json())
    .action(async (file: string, options: { json?: boolean }) => finish(await (await load()).mcpImport(context, file, format(options))));
  mcp
    .command("test")
    .description("start or reach a server, list its tools, and end it")
    .argument("<name>")
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) => finish(await (await load()).mcpTest(context, name, format(options))));
  mcp
    .command("serve")
    .description("serve the assistant's conversations to MCP clients, on standard input and output or over HTTP")
    .option("--http", "streamable HTTP on this machine, for requests with the gateway's token")
    .option("--port <port>", "its port; 0 chooses a free one", parsePort, 18_791)
    .option("--read-only", "without the tool that says something to the assistant")
    .action(async ({ http, port, readOnly }: { http?: boolean; port: number; readOnly?: boolean }) => {
      const { mcpServe } = await import("../commands/mcp-serve.ts");
      finish(await mcpServe(context, { readOnly: readOnly === true, ...(http === true ? { port } : {}) }));
    });
  mcp
    .command("login")
    .description("log in at a server at an address; its tokens are kept in a private file")
    .argument("<name>")
    .option("--code", "take the code, or the whole address that the browser ends at, from standard input")
    .addOption(json())
    .action(async (name: string, options: { code?: boolean; json?: boolean }) =>
      finish(await (await load()).mcpLogin(context, name, { code: options.code === true, ...format(options) })),
    );
  mcp
    .command("logout")
    .description("remove the tokens of a server")
    .argument("<name>")
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) => finish(await (await load()).mcpLogout(context, name, format(options))));
  mcp
    .command("remove")
    .description("remove a server, and the private files of its values")
    .argument("<name>")
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) => finish(await (await load()).mcpRemove(context, name, format(options))));
}
