import { createSocket } from "node:dgram";
import { once } from "node:events";
import { access, readdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { CommandResult, RunningCommand } from "@factotum/agent-contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openNetworkedSandbox, type NetworkedSandbox } from "../../test/open-networked-sandbox.ts";

let scene: NetworkedSandbox;
let server: Server;
let port: number;
/** What the list has now. */
let hosts: readonly string[];
let requested: string[];
let looked: string[];
let logged: Readonly<Record<string, unknown>>[];

const inside = async (text: string, env?: Readonly<Record<string, string>>): Promise<CommandResult> =>
  scene.sandbox.run(scene.request(text, env), scene.options());
const begin = async (text: string): Promise<RunningCommand> =>
  scene.sandbox.start({ ...scene.request(text), input: { type: "pipe" } }, scene.options());
const python = (...lines: readonly string[]): string => `/usr/bin/python3 -c '${["import socket, sys", ...lines].join("\n")}'`;
/** What a raw connection to the proxy gets as its first line, with the command's own password. */
const tunnel = (target: string): string =>
  python(
    "import base64, os, re",
    `login, port = re.match(r"http://(.*)@127.0.0.1:(\\d+)", os.environ["HTTP_PROXY"]).groups()`,
    `peer = socket.create_connection(("127.0.0.1", int(port)))`,
    `word = base64.b64encode(login.encode()).decode()`,
    `peer.sendall(f"CONNECT ${target} HTTP/1.1\\r\\nproxy-authorization: Basic {word}\\r\\n\\r\\n".encode())`,
    `print(peer.recv(1000).decode().split("\\r\\n")[0])`,
  );

/** `open.example` counts as public and is the server; `changing.example` is it once and a private address afterwards. */
async function lookup(name: string): Promise<readonly { readonly address: string; readonly family: number }[]> {
  looked.push(name);
  if (name === "inner.example") return [{ address: "10.0.0.1", family: 4 }];
  const isLater = name === "changing.example" && looked.filter((one) => one === name).length > 1;
  return [{ address: isLater ? "127.0.0.3" : "127.0.0.2", family: 4 }];
}

beforeAll(async () => {
  server = createServer((incoming, response) => {
    requested.push(`${incoming.headers.host ?? ""}${incoming.url ?? ""}`);
    if (incoming.url === "/away") return void response.writeHead(302, { location: `http://evil.example:${port}/` }).end();
    let bytes = 0;
    incoming.on("data", (part: Buffer) => (bytes += part.length));
    incoming.on("end", () => response.end(incoming.method === "POST" ? "x".repeat(bytes) : "hello"));
  });
  // Every address of the loopback is this machine.
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
  scene = await openNetworkedSandbox({ hosts: () => hosts, lookup, onWarning: (fields) => logged.push(fields) });
});
beforeEach(() => {
  hosts = [`open.example:${port}`, `changing.example:${port}`, `inner.example:${port}`, `127.0.0.4:${port}`];
  [requested, looked, logged] = [[], [], []];
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

const sockets = async (): Promise<readonly string[]> =>
  (await readdir(join(scene.base, "state", "sandbox"))).filter((name) => name.endsWith(".sock"));

describe.runIf(process.platform === "linux")("a sandboxed command with network", () => {
  test("reaches a listed host with curl and python, by name and by address, plainly and through a tunnel", async () => {
    const url = `http://open.example:${port}/`;
    const fetched = `/usr/bin/python3 -c 'import urllib.request; print(urllib.request.urlopen("${url}").read().decode())'`;
    const { output, refusedRequests } = await inside(
      `curl -sS ${url}one && echo; ${fetched}; curl -sS -p ${url}two && echo; curl -sS http://127.0.0.4:${port}/three`,
    );
    expect({ output, refusedRequests }).toEqual({ output: "hello\nhello\nhello\nhello", refusedRequests: undefined });
    expect(requested).toEqual(["one", "", "two"].map((path) => `open.example:${port}/${path}`).concat(`127.0.0.4:${port}/three`));
  });

  test("gets a large answer and a large upload through whole", async () => {
    const upload = `curl -sS --data-binary @big -o got -w '%{http_code}' http://open.example:${port}/`;
    expect((await inside(`head -c 3000000 /dev/zero >big; ${upload} && wc -c <got`)).output).toBe("2003000000\n");
  });

  test.each<[string, () => string, RegExp]>([
    ["another host", () => `curl -sS http://evil.example:${port}/`, /^evil\.example:\d+ is not among the allowed hosts$/],
    ["another port of a listed host", () => "curl -sS http://open.example/", /^open\.example is not among the allowed hosts$/],
    ["a redirect to another host", () => `curl -sSL http://open.example:${port}/away`, /^evil\.example:\d+ is not among/],
    [
      "a listed name with a private address",
      () => `curl -sS http://inner.example:${port}/`,
      /^inner\.example is not on the open internet$/,
    ],
    ["a tunnel to a private address", () => tunnel(`10.0.0.1:${port}`), /^10\.0\.0\.1:\d+ is not among/],
    ["a tunnel to the gateway's loopback", () => tunnel(`127.0.0.1:${port}`), /^127\.0\.0\.1:\d+ is not among/],
    ["an odd form of that address", () => tunnel(`0x7f000001:${port}`), /^127\.0\.0\.1:\d+ is not among/],
    ["an address of IPv6", () => `curl -sS -g 'http://[::1]:${port}/'; ${tunnel(`[::1]:${port}`)}`, /^\[::1\]:\d+ is not among/],
    ["a mapped address", () => tunnel(`[::ffff:127.0.0.4]:${port}`), /is not among/],
  ])("is refused %s; result and log say so", async (_name, command, reason) => {
    const { output, refusedRequests } = await inside(`unset NO_PROXY no_proxy; ${command()}`);
    expect(output).not.toContain("hello");
    expect(refusedRequests).toEqual([expect.stringMatching(reason) as string]);
    expect(logged).toEqual([expect.objectContaining({ reason: refusedRequests?.[0], session: "agent:main:main" }) as object]);
    expect(requested.filter((one) => !one.endsWith("/away"))).toEqual([]);
  });

  test("is refused a name that changes to a private address between two requests", async () => {
    const once = `curl -sS http://changing.example:${port}/`;
    expect(await inside(`${once} && echo; ${once}`)).toMatchObject({
      output: expect.stringMatching(/^hello\nchanging\.example is not on the open internet/) as string,
      refusedRequests: ["changing.example is not on the open internet"],
    });
    expect(looked).toHaveLength(2);
  });

  test("has no other way out: neither TCP nor UDP, neither IPv4 nor IPv6, nor names", async () => {
    const udp = createSocket("udp4");
    const received: string[] = [];
    udp.on("message", (text) => received.push(String(text))).bind(0, "127.0.0.1");
    await once(udp, "listening");
    const connects = (family: string, address: string): string =>
      python(`peer = socket.socket(socket.${family})`, "peer.settimeout(2)", `peer.connect((${address}, ${port}))`, `print("ESCAPED")`);
    const commands = [
      ...[`"127.0.0.1"`, `"127.0.0.2"`, `"10.0.0.1"`].map((address) => connects("AF_INET", address)),
      ...[`"::1"`, `"::ffff:127.0.0.1"`].map((address) => connects("AF_INET6", address)),
      python(`socket.socket(type=socket.SOCK_DGRAM).sendto(b"out", ("127.0.0.1", ${udp.address().port}))`),
      python(`socket.socket(type=socket.SOCK_DGRAM).sendto(b"out", ("8.8.8.8", 53))`, `print("ESCAPED")`),
      python(`print("ESCAPED", socket.getaddrinfo("open.example", 80))`),
      "tail -n +3 /proc/net/dev | grep -v lo: && echo ESCAPED",
    ];
    const { output } = await inside(commands.map((command) => `${command} 2>/dev/null`).join("\n"));
    // On the host the same leads there.
    expect((await scene.host.run(scene.request(commands[0] ?? ""), scene.options())).output).toBe("ESCAPED\n");
    udp.close();
    expect({ output, received, requested }).toEqual({ output: "", received: [], requested: [] });
  });

  test("reaches neither the socket of another command nor its proxy without its password", async () => {
    const other = await begin("echo $HTTP_PROXY; cat");
    await expect.poll(() => other.output.length).toBeGreaterThan(0);
    const [name = ""] = await sockets();
    const path = join(scene.base, "state", "sandbox", name);
    await access(path);
    const login = /\/\/(.*)@/.exec(other.output.read(0, 1_000).text)?.[1] ?? "";
    const connect = python(`socket.socket(socket.AF_UNIX).connect("${path}")`, `print("ESCAPED")`);
    const { output } = await inside(
      `${connect} 2>/dev/null; ls ${path} 2>/dev/null; curl -sS -o /dev/null -w '%{http_code}' -x http://${login}@127.0.0.1:3128 http://open.example:${port}/`,
    );
    other.kill();
    await other.ended;
    expect({ output, requested }).toEqual({ output: "407", requested: [] });
  });

  test("does not reach a host any longer that is taken off the list while it runs", async () => {
    const command = await begin(`curl -sS http://open.example:${port}/ && echo; read line; curl -sS http://open.example:${port}/`);
    await expect.poll(() => command.output.length).toBeGreaterThan(5);
    hosts = [];
    command.write("on\n");
    const { output } = await command.ended;
    expect(output).toMatch(/^hello\nopen\.example:\d+ is not among the allowed hosts\n$/);
  });

  test("keeps its exit code, its input, a terminal and its limits", async () => {
    expect((await inside("exit 7")).end).toEqual({ type: "exited", exitCode: 7 });
    expect((await scene.sandbox.run({ ...scene.request("sleep 1000"), timeoutMs: 1_500 }, scene.options())).end).toEqual({
      type: "timed-out",
    });
    const input = { type: "terminal", columns: 80, rows: 24 } as const;
    const terminal = await scene.sandbox.start({ ...scene.request("tty; read line; echo got $line"), input }, scene.options());
    await expect.poll(() => terminal.output.read(0, 1_000).text).toContain("/dev/pts/0");
    terminal.write("text\n");
    expect((await terminal.ended).output).toContain("got text");
  });

  test("is not run where the forwarder cannot be started, and says so", async () => {
    const { end, output } = await scene.withNode("/bin/false").run(scene.request("echo ran"), scene.options());
    expect({ end, output }).toEqual({
      end: { type: "exited", exitCode: 126 },
      output: expect.stringContaining("The command was not run") as string,
    });
    expect(await sockets()).toEqual([]);
  });

  test("starts its forwarder whatever its variables are", async () => {
    const env = { NODE_OPTIONS: "--require /nowhere", LD_PRELOAD: "/nowhere" };
    const { output } = await inside(`curl -sS http://open.example:${port}/ 2>/dev/null`, env);
    expect(output).toContain("hello");
  });

  test("leaves neither socket nor process", async () => {
    await Promise.all([inside("sleep 0.1"), inside(`curl -sS http://open.example:${port}/`), inside("setsid sleep 1000 & exit 1")]);
    expect(await sockets()).toEqual([]);
    expect(await readdir(join(scene.base, "state", "children"))).toEqual([]);
  });
});
