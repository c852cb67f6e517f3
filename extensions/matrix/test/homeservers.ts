import { spawn, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { FakeMatrix } from "@factotum/testing-channels";
import { vi } from "vitest";

/** A user of a homeserver. */
export interface HomeserverUser {
  readonly id: string;
  readonly token: string;
}

/** A homeserver with a new bot and new people. */
export interface Homeserver extends AsyncDisposable {
  readonly baseUrl: string;
  readonly bot: HomeserverUser;
  readonly alice: HomeserverUser;
  readonly bob: HomeserverUser;
}

/** Starts the fake homeserver. */
export async function startFake(): Promise<Homeserver> {
  const matrix = await FakeMatrix.start();
  const user = (name: string): HomeserverUser => {
    const found = matrix.app.users.get(`@${name}:fake.example`);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return { id: found.id, token: found.token };
  };
  return {
    baseUrl: matrix.baseUrl,
    bot: user("factotum"),
    alice: user("alice"),
    bob: user("bob"),
    [Symbol.asyncDispose]: () => matrix[Symbol.asyncDispose](),
  };
}

const SERVER = "synapse.example";
const SECRET = "registration";
/** A homeserver that others wrote starts in seconds; its installation takes two minutes. */
const START_MS = 60_000;

/** A Synapse of Debian, in a folder of its own. */
export interface Synapse extends AsyncDisposable {
  /** Makes new users on it. */
  create(): Promise<Homeserver>;
}

/** Installs Synapse into `folder` if it is not there, with debootstrap, and starts it. Throws if that is not possible here. */
export async function startSynapse(folder: string): Promise<Synapse> {
  install(folder);
  const port = await freePort();
  const data = join(folder, "data");
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "homeserver.yaml"), configOf(port));
  const command = ["python3", "-m", "synapse.app.homeserver", "-c", "/data/homeserver.yaml"];
  run("chroot", [folder, ...command, "--generate-keys"]);
  const child = spawn("chroot", [folder, ...command], { stdio: "ignore" });
  const baseUrl = `http://127.0.0.1:${port}`;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await answering(`${baseUrl}/_matrix/client/versions`);
  return {
    async create() {
      const suffix = randomBytes(4).toString("hex");
      const [bot, alice, bob] = await Promise.all([
        register(baseUrl, `factotum-${suffix}`, "Factotum"),
        register(baseUrl, `alice-${suffix}`, "Alice"),
        register(baseUrl, `bob-${suffix}`, "Bob"),
      ]);
      return { baseUrl, bot, alice, bob, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function install(folder: string): void {
  if (existsSync(join(folder, "installed"))) return;
  rmSync(folder, { recursive: true, force: true });
  if (spawnSync("debootstrap", ["--version"]).status !== 0) run("apt-get", ["install", "-y", "--no-install-recommends", "debootstrap"]);
  // The packages' scripts need programs in an order that debootstrap does not know: what fails is configured again.
  spawnSync("debootstrap", ["--variant=minbase", "--include=matrix-synapse", "sid", folder], {
    stdio: "ignore",
  });
  run("chroot", [
    folder,
    "sh",
    "-c",
    "dpkg --configure -a; DEBIAN_FRONTEND=noninteractive apt-get install -y -f && python3 -c 'import synapse'",
  ]);
  writeFileSync(join(folder, "installed"), "");
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { stdio: "pipe", encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ""} failed: ${stderr.slice(-500)}`);
}

/** Without the limits of rates, which the tests would reach. */
function configOf(port: number): string {
  const free = { per_second: 10_000, burst_count: 10_000 };
  return JSON.stringify({
    server_name: SERVER,
    report_stats: false,
    signing_key_path: "/data/signing.key",
    macaroon_secret_key: "macaroon",
    form_secret: "form",
    registration_shared_secret: SECRET,
    pid_file: "/data/pid",
    media_store_path: "/data/media",
    database: { name: "sqlite3", args: { database: ":memory:" } },
    listeners: [{ port, bind_addresses: ["127.0.0.1"], type: "http", resources: [{ names: ["client", "media"], compress: false }] }],
    trusted_key_servers: [],
    federation_domain_whitelist: [],
    user_directory: { enabled: true, search_all_users: true },
    max_upload_size: "60M",
    rc_message: free,
    rc_registration: free,
    rc_joins: { local: free },
    rc_invites: { per_room: free, per_user: free, per_issuer: free },
  });
}

async function register(baseUrl: string, name: string, displayName: string): Promise<HomeserverUser> {
  const url = `${baseUrl}/_synapse/admin/v1/register`;
  const { nonce } = (await (await fetch(url)).json()) as { readonly nonce: string };
  const password = randomBytes(12).toString("hex");
  const mac = createHmac("sha1", SECRET).update([nonce, name, password, "notadmin"].join("\0")).digest("hex");
  const body = JSON.stringify({ nonce, username: name, displayname: displayName, password, admin: false, mac });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { user_id: id, access_token: token } = (await answer.json()) as { readonly user_id: string; readonly access_token: string };
  return { id, token };
}

/** There is no event for it. */
async function answering(url: string): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(isThere, { timeout: START_MS, interval: 200 });
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
