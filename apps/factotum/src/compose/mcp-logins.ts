import { createHash } from "node:crypto";
import { access, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@factotum/agent-contract";
import { writePrivateFile, type StatePaths } from "@factotum/config";
import type { LoginPorts } from "@factotum/plugin-mcp";
import { createPublicRequester } from "@factotum/tools";
import type { SecretFilter } from "../runtime/secret-filter.ts";

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 30_000;
/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** Keeps logins at MCP servers among the credentials, and reaches the public addresses that they are about. */
export function createLoginPorts(
  paths: Pick<StatePaths, "credentialsFolder">,
  { clock, secrets }: { readonly clock: Pick<Clock, "schedule">; readonly secrets: Pick<SecretFilter, "add"> },
): LoginPorts {
  return {
    read: async (server) => {
      try {
        return await readFile(loginFile(paths, server), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
    write: async (server, text) => writePrivateFile(loginFile(paths, server), text),
    addSecrets: (values) => secrets.add(values),
    fetchPublic: createPublicFetch({ clock }),
  };
}

/** True if a server has wanted a login. */
export async function hasLogin(paths: Pick<StatePaths, "credentialsFolder">, server: string): Promise<boolean> {
  try {
    await access(loginFile(paths, server));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Removes the login at a server. False if there was none. */
export async function removeLogin(paths: Pick<StatePaths, "credentialsFolder">, server: string): Promise<boolean> {
  try {
    await rm(loginFile(paths, server));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

function loginFile({ credentialsFolder }: Pick<StatePaths, "credentialsFolder">, server: string): string {
  return join(credentialsFolder, "mcp-logins", `${createHash("sha256").update(server).digest("hex").slice(0, 16)}.json`);
}

/** `fetch` for addresses that others may have chosen (R22), within one origin. */
function createPublicFetch({ clock }: { readonly clock: Pick<Clock, "schedule"> }): LoginPorts["fetchPublic"] {
  const request = createPublicRequester({ clock });
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    if (method !== "GET" && method !== "POST") throw new Error(`${method} is not sent to public addresses`);
    const target = new URL(url);
    const answer = await request({
      url: target.href,
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body === undefined || body === null ? {} : { body: await new Response(body).text() }),
      signal: signal ?? new AbortController().signal,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
    });
    if (answer.type === "refused") throw new Error(answer.message);
    const { head, bytes = new Uint8Array(), isCut } = answer;
    if (new URL(head.url).origin !== target.origin) throw new Error("it leads to another place");
    if (isCut) throw new Error("its answer is too large");
    const { status, contentType } = head;
    return new Response(BODILESS.has(status) ? null : new Uint8Array(bytes), { status, headers: { "content-type": contentType } });
  };
}
