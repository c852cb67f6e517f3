import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A web server of the system, as a reverse proxy. */
export type WebServer = "nginx" | "caddy";

/** How it is set up. */
export interface WebServerOptions {
  /** Address of the gateway, such as `http://127.0.0.1:18790`. */
  readonly target: string;
  /** Where the proxy listens, on loopback. */
  readonly port: number;
  /** Name of the site. */
  readonly host: string;
  /** `location` of nginx, or the `handle` of Caddy that goes around; the whole site by default. */
  readonly place?: string;
}

/** Looks where systems keep such programs, `/usr/sbin` included. */
export function hasWebServer(name: WebServer): boolean {
  return findProgram(name) !== undefined;
}

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Starts a proxy with the block that docs/reverse-proxy.md shows for it, and resolves once it listens. Disposing ends it. */
export async function startWebServer(name: WebServer, options: WebServerOptions): Promise<AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), `factotum-${name}-`));
  const file = path.join(folder, "configuration");
  await writeFile(file, await render(name, folder, options));
  const args = name === "nginx" ? ["-c", file, "-p", folder, "-e", "stderr"] : ["run", "--config", file, "--adapter", "caddyfile"];
  const env = { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(findProgram(name) ?? name, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(child, name === "nginx" ? /start worker process \d/ : /serving initial configuration/);
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

async function render(name: WebServer, folder: string, { target, port, host, place }: WebServerOptions): Promise<string> {
  const document = await readFile(new URL("../../../docs/reverse-proxy.md", import.meta.url), "utf8");
  const block =
    new RegExp(`\`\`\`${name === "nginx" ? "nginx" : "caddyfile"}\\n(?<text>[\\s\\S]*?)\`\`\``).exec(document)?.groups?.["text"] ?? "";
  const own = block.replaceAll("127.0.0.1:18790", new URL(target).host);
  if (name === "caddy") {
    const site = own.replace(/^.*\{/, `http://${host}:${port} {\n\tbind 127.0.0.1`);
    const placed = place === undefined ? site : site.replace(/(\treverse_proxy .*)/, `\t${place} {\n\t$1\n\t}`);
    return `{\n\tadmin off\n\tauto_https off\n}\n${placed}`;
  }
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join("\n");
  const placed = place === undefined ? own : own.replace("location /", place);
  return `daemon off;
error_log stderr notice;
pid ${folder}/pid;
worker_processes 1;
events {}
http {
  access_log off;
  ${temporary}
  server { listen 127.0.0.1:${port}; server_name ${host}; ${placed} }
}
`;
}

async function waitFor(child: ChildProcess, pattern: RegExp): Promise<void> {
  let output = "";
  const ready = Promise.withResolvers<void>();
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (pattern.test(output)) ready.resolve();
  });
  child.once("error", ready.reject);
  child.once("exit", () => ready.reject(new Error(`The web server ended before it listened:\n${output}`)));
  await ready.promise;
}

function findProgram(name: WebServer): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch (error) {
        if (error instanceof Error && "code" in error) return false;
        throw error;
      }
    });
}
