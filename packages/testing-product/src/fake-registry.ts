import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A tarball as it is served; `claims` is the integrity that the packument states. */
interface Served {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
  readonly claims: string;
}

/** The integrity of bytes, as npm writes it. */
function integrityOf(bytes: Uint8Array): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

/** A registry in the wire format of npm's, on loopback: packuments and tarballs. */
export class FakeRegistry implements AsyncDisposable {
  /** The paths that were asked for. */
  readonly requests: string[] = [];
  readonly #server: Server;
  readonly #folder: string;
  readonly #packages = new Map<string, Map<string, Served>>();

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    server.on("request", ({ url = "/" }, response) => {
      const path = decodeURIComponent(url).slice(1);
      this.requests.push(path);
      const answer = this.#answer(path);
      if (answer === undefined) response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
      else response.writeHead(200, { "content-type": answer.type }).end(answer.body);
    });
  }

  static async start(): Promise<FakeRegistry> {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    return new FakeRegistry(server, await mkdtemp(join(tmpdir(), "factotum-registry-")));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Publishes a tarball, in place of one of the same version. `claims`: another integrity than its own. */
  async publish(tarball: string, { claims }: { readonly claims?: string } = {}): Promise<void> {
    const { stdout } = await run("tar", ["-xzOf", tarball, "package/package.json"]);
    const manifest = JSON.parse(stdout) as Manifest;
    const bytes = await readFile(tarball);
    const versions = this.#packages.get(manifest.name) ?? new Map<string, Served>();
    this.#packages.set(manifest.name, versions.set(manifest.version, { manifest, bytes, claims: claims ?? integrityOf(bytes) }));
  }

  /** Publishes what a package of the workspace depends on, as it is installed there. */
  async publishDependencies(folder: string): Promise<void> {
    const { dependencies = {} } = await readManifest(folder);
    for (const name of Object.keys(dependencies)) await this.#publishInstalled(await findInstalled(name, folder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => void this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #publishInstalled(folder: string): Promise<void> {
    const { name, version } = await readManifest(folder);
    if (this.#packages.get(name)?.has(version) === true) return;
    const tarball = join(this.#folder, `${name.replace("/", "-")}-${version}.tgz`);
    await run("tar", ["-czf", tarball, "--exclude=./node_modules", "--transform=s,^\\.,package,", "-C", folder, "."]);
    await this.publish(tarball);
    await this.publishDependencies(folder);
  }

  #answer(path: string): { readonly type: string; readonly body: string | Buffer } | undefined {
    const [name, version] = path.split("/-/");
    const versions = this.#packages.get(name ?? "");
    if (versions === undefined) return undefined;
    if (version !== undefined) {
      const served = versions.get(version);
      return served === undefined ? undefined : { type: "application/octet-stream", body: served.bytes };
    }
    const all = [...versions].map(([key, { manifest, bytes, claims }]) => {
      const shasum = createHash("sha1").update(bytes).digest("hex");
      return [key, { ...manifest, dist: { tarball: `${this.url}${name}/-/${key}`, integrity: claims, shasum } }];
    });
    const packument = { name, "dist-tags": { latest: all.at(-1)?.[0] }, versions: Object.fromEntries(all) as object };
    return { type: "application/json", body: JSON.stringify(packument) };
  }
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Dependencies of a workspace's package are below it, those of an installed one beside it. */
async function findInstalled(name: string, folder: string): Promise<string> {
  const up = (await readManifest(folder)).name.includes("/") ? "../.." : "..";
  return realpath(join(folder, "node_modules", name)).catch(() => realpath(join(folder, up, name)));
}
