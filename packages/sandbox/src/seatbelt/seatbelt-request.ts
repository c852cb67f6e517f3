import type { CommandRequest } from "@factotum/agent-contract";
import { innerCommand, outerRequest } from "../sandbox/inner-command.ts";
import type { SandboxPlan } from "../sandbox/sandbox-spec.ts";
import { quoteWord, quoteWords } from "../sandbox/shell-words.ts";

/** Folders of macOS that programs read; none holds files of a user. */
const SYSTEM = [
  "/System",
  "/Library/Apple",
  "/Library/Developer",
  "/usr",
  "/bin",
  "/sbin",
  "/opt/homebrew",
  "/private/var/db/dyld",
  "/private/var/select",
  "/dev",
];

/**
 * Rewrites a request so that it runs under macOS's `sandbox-exec`: it reads the system and the planned folders, writes the workspace and a folder for temporary
 * files alone, and has no network but the proxy's port if the plan has one. Pure. `temporaryFolder` is made and removed by the command itself.
 */
export function seatbeltRequest(request: CommandRequest, plan: SandboxPlan, temporaryFolder: string): CommandRequest {
  const variables = { ...plan.environment, HOME: temporaryFolder, TMPDIR: temporaryFolder, ...request.env };
  const words = [
    "/usr/bin/env",
    "-i",
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    "/usr/bin/sandbox-exec",
    "-p",
    seatbeltProfile(plan, temporaryFolder),
    ...innerCommand(request, plan.maxTasks),
  ];
  const text = `folder=${quoteWord(temporaryFolder)}; mkdir -m 700 "$folder" && trap 'rm -rf -- "$folder"' EXIT && cd ${quoteWord(request.cwd)} && ${quoteWords(words)}`;
  return outerRequest(request, text);
}

/** The profile in Apple's language. Of several matching rules the last one counts, so hidden places come after the folders around them. */
export function seatbeltProfile({ mounts, network }: Pick<SandboxPlan, "mounts" | "network">, temporaryFolder: string): string {
  const subpath = (path: string): string => `(subpath ${JSON.stringify(path)})`;
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    `(allow file-read-metadata (literal "/") (literal "/private") (literal "/var") (literal "/tmp") (literal "/etc"))`,
    `(allow file-read* ${SYSTEM.map(subpath).join(" ")} (literal "/private/etc/ssl/cert.pem"))`,
    `(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))`,
    `(allow file-read* file-write* ${subpath(temporaryFolder)})`,
    ...mounts.map(({ type, path }) => {
      switch (type) {
        case "read-only":
          return `(allow file-read* ${subpath(path)})\n(deny file-write* ${subpath(path)})`;
        case "writable":
          return `(allow file-read* file-write* ${subpath(path)})`;
        case "empty-folder":
        case "empty-file":
          return `(deny file-read* file-write* ${subpath(path)})`;
      }
    }),
    "(deny network*)",
    // This language knows no address but "localhost" and "*".
    ...(network?.type === "port" ? [`(allow network-outbound (remote tcp "localhost:${network.port}"))`] : []),
  ].join("\n");
}
