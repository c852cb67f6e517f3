import type { CommandRequest } from "./ports.ts";
import type { RunFacts } from "./run.ts";

/** The program of a server that speaks over its standard input and output, such as an MCP server or a language server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** It may be given text of others: a sandbox shows it the workspace read-only. */
  readonly tainted: boolean;
}

/** The sandbox of a server. */
export interface ServerSandbox {
  /** `inherit`: that of the session that uses the server. `on`: always. `off`: on the host. */
  readonly mode: "inherit" | "on" | "off";
  /** With `on`: hosts that the server may reach. */
  readonly network: "none" | { readonly allow: readonly string[] };
  /** With `on`: access to the workspace. */
  readonly workspace: "none" | "ro" | "rw";
}

const LAST_WORDS_BYTES = 2_000;

/** What a runner starts for a server: without a time limit, with its input open. The last part of its standard error follows when it exits, for `describeEnd`. */
export function renderServerCommand({ command, args, cwd, env, tainted }: ServerCommand): CommandRequest {
  const text = withLastWords([command, ...args].map(quote).join(" "));
  return { command: { type: "shell", text }, cwd, env, input: { type: "pipe" }, timeoutMs: 0, maxOutputBytes: 0, tainted };
}

/** The facts by which a runner chooses the sandbox of a server. `name`: what kind of server it is. */
export function createServerRun(
  name: string,
  { mode, network, workspace }: ServerSandbox,
  { sandbox: inherited, ...place }: Pick<RunFacts, "agentId" | "workspace" | "sandbox">,
): RunFacts {
  const facts: RunFacts = { runId: name, kind: "user", sessionKey: "", sessionId: name, owner: true, timeZone: "UTC", ...place };
  switch (mode) {
    case "off":
      return facts;
    case "inherit":
      return inherited === undefined ? facts : { ...facts, sandbox: inherited };
    case "on": {
      const reached = network === "none" || network.allow.length === 0 ? {} : { network: network.allow };
      return { ...facts, sandbox: { workspaceAccess: workspace, shared: false, ...reached } };
    }
  }
}

/**
 * Shell text that runs a program. Its standard error would break messages, so only its last part follows, when the program exits. A process that it leaves
 * behind may hold that pipe for ever, so the shell ends a second after the program, and the runner ends the rest.
 */
function withLastWords(line: string): string {
  // The shell itself would name a killed program with all of its arguments.
  const program = `exec 2>/dev/null; ${line} 2>&1 1>&3 3>&-; exec >/dev/null 3>&-; sleep 1; kill -HUP $$`;
  return `{ { ${program}; } | { tail -c ${LAST_WORDS_BYTES} 3>&-; kill -HUP $$; }; } 3>&1`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
