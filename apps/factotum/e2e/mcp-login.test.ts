import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { productEntry, runCommand } from "@factotum/testing-product";
import { FakeIssuer, GuardedMcpServer } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startMcpScene } from "./mcp-scene.ts";

const CALL = { name: "mcp__wiki_ping", arguments: {} };

/** A command that shows an address and waits. */
interface Waiting {
  readonly address: string;
  readonly write: (text: string) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

async function startLogin(home: string, ...more: readonly string[]): Promise<Waiting> {
  const child = spawn(process.execPath, [productEntry, "mcp", "login", "wiki", ...more], {
    env: { PATH: process.env["PATH"], HOME: home, FACTOTUM_HOME: home },
    stdio: "pipe",
  });
  let output = "";
  const address = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const [found] = /http:\S+\/authorize\?\S+(?=\n)/.exec(output) ?? [];
      if (found !== undefined) address.resolve(found);
    });
  const ended = once(child, "close").then(() => {
    address.reject(new Error(`it has ended: ${output}`));
    return { code: child.exitCode, output };
  });
  return { address: await address.promise, write: (text) => void child.stdin.end(text), ended };
}

/** The address at which a browser ends whose user agrees to everything. */
async function browse(address: string): Promise<string> {
  return (await fetch(address, { redirect: "manual" })).headers.get("location") ?? "";
}

/** Files of the state directory that hold one of the texts, apart from those among the credentials. */
async function filesWith(home: string, texts: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(
    files.map(async (file) => {
      const content = await readFile(file, "latin1").catch(() => "");
      return texts.some((text) => content.includes(text)) ? [file] : [];
    }),
  );
  return found.flat().filter((file) => !file.startsWith(join(home, "credentials")));
}

test("a server at an address that wants a login: needed, done with --code, kept, renewed, removed", { timeout: 240_000 }, async () => {
  await using issuer = await FakeIssuer.start();
  await using server = await GuardedMcpServer.start(issuer);
  await using scene = await startMcpScene({});
  const { home } = scene.product;
  const run = async (...words: readonly string[]): ReturnType<typeof runCommand> => runCommand(words, { home });

  expect(await run("mcp", "add", "wiki", "--url", server.url, "--trusted")).toMatchObject({ code: 0 });
  const needed = "needs login: factotum mcp login wiki";
  expect((await run("mcp", "test", "wiki")).stderr).toContain(needed);
  expect(await run("agent", "-m", "hello")).toMatchObject({ code: 0 });
  expect(JSON.stringify(scene.model.requests[0]?.body?.["system"])).toContain("Not usable when this was written: mcp:wiki.");
  expect((await run("status")).stdout).toContain(needed);
  expect((await run("mcp", "list")).stdout).toContain(needed);

  const login = await startLogin(home, "--code");
  login.write(`${await browse(login.address)}\n`);
  const done = await login.ended;
  expect(done.output).toContain("wiki is logged in.");
  expect(done.code).toBe(0);
  expect((await run("mcp", "test", "wiki")).stdout).toContain("wiki works. Its tools: 2");
  expect((await run("status")).stdout).not.toContain(needed);
  const [file = ""] = await readdir(join(home, "credentials", "mcp-logins"));
  expect((await stat(join(home, "credentials", "mcp-logins", file))).mode & 0o777).toBe(0o600);
  expect((await stat(join(home, "credentials", "mcp-logins"))).mode & 0o777).toBe(0o700);

  expect(await scene.use(CALL)).toContain("did ping");
  await scene.product.end("SIGTERM");
  await using second = await startMcpScene({ wiki: { url: server.url, trusted: true } }, { home });
  expect(await second.use(CALL)).toContain("did ping");
  const before = issuer.tokenRequests.length;
  issuer.expireTokens();
  expect(await second.use(CALL)).toContain("did ping");
  expect(issuer.tokenRequests.slice(before).map(({ form }) => form.get("grant_type"))).toEqual(["refresh_token"]);
  const outputs = [done.output, (await run("status", "--json")).stdout, JSON.stringify(second.model.requests)].join("\n");
  expect(issuer.secrets.filter((secret) => outputs.includes(secret))).toEqual([]);
  expect(await filesWith(home, issuer.secrets)).toEqual([]);

  expect((await run("mcp", "logout", "wiki")).stdout).toBe("The tokens of wiki are revoked at the service, and removed.\n");
  const revoked = issuer.requests.filter(({ path }) => path === "/revoke").map(({ form }) => form.get("token_type_hint"));
  expect(revoked).toEqual(["refresh_token", "access_token"]);
  expect(await readdir(join(home, "credentials", "mcp-logins"))).toEqual([]);
  expect(await second.use(CALL)).toContain(needed);
});

test("mcp login takes the answer of the browser on the loopback address, and no other one", { timeout: 120_000 }, async () => {
  await using issuer = await FakeIssuer.start();
  await using server = await GuardedMcpServer.start(issuer);
  await using scene = await startMcpScene({ wiki: { url: server.url, trusted: true } });
  const login = await startLogin(scene.product.home);
  const answer = new URL(await browse(login.address));
  const forged = new URL(answer);
  forged.searchParams.set("state", "forged");
  expect((await fetch(forged)).status).toBe(400);
  expect(issuer.tokenRequests).toEqual([]);
  expect((await fetch(answer)).status).toBe(200);
  expect(await login.ended).toMatchObject({ code: 0 });
  expect(await scene.use(CALL)).toContain("did ping");
});
