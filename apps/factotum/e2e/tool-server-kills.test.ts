import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const STARTS = Number(process.env["FACTOTUM_SERVER_STARTS"] ?? 10);
const DRIVER = fileURLToPath(new URL("kill-tool-servers.ts", import.meta.url));
const NAMESPACE = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
const hasNamespaces = spawnSync("unshare", [...NAMESPACE, "true"]).status === 0;

test.runIf(hasNamespaces)(
  `after ${STARTS} starts and kills of MCP servers and language servers, and of their gateway, no process is left`,
  async () => {
    // The shell is the first process of the namespace: it adopts orphans, and waits for them.
    const script = '"$0" --conditions=factotum-source "$1" "$2"; exit $?';
    const args = [...NAMESPACE, "sh", "-c", script, process.execPath, DRIVER, String(STARTS)];
    const { stdout } = await promisify(execFile)("unshare", args);
    expect(JSON.parse(stdout)).toEqual({ starts: STARTS, problems: [], left: [] });
  },
  STARTS * 10_000,
);
