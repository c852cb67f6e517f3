import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "@factotum/testing-product";
import { describe, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { newestTexts } from "./browser-scene.ts";
import { startMcpScene, type McpScene } from "./mcp-scene.ts";
import { order, type Order } from "./obedient-model.ts";
import { processesBelow, stillRunning } from "./processes.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const LSP = {
  servers: {
    ts: { command: process.execPath, args: [TSC, "--lsp", "--stdio"], languages: ["typescript"], rootMarkers: ["tsconfig.json"] },
  },
};
const SHAPE = "export class Shape {\n  area(): number {\n    return 1;\n  }\n}\n";
const USE = 'import { Shape } from "./shape.ts";\nexport const area: number = new Shape().area();\n';

interface LspScene extends McpScene {
  readonly workspace: string;
  readonly say: (message: string) => Promise<string>;
  /** Has the model make one call, and resolves with the text of its result. */
  readonly call: (one: Order) => Promise<string>;
}

async function startLspScene(lsp: typeof LSP | { readonly detect: boolean }, home?: string): Promise<LspScene> {
  const scene = await startMcpScene({}, { settings: { lsp }, ...(home === undefined ? {} : { home }) });
  const { product, model } = scene;
  const workspace = join(product.home, "workspace");
  await mkdir(workspace, { recursive: true });
  const say = async (message: string): Promise<string> => {
    using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
    return (await client.request("agent", { message, idempotencyKey: randomUUID() })).text;
  };
  const call = async (one: Order): Promise<string> => {
    await say(`Please ${order(one)}`);
    return newestTexts(model).join("\n");
  };
  return { ...scene, workspace, say, call, [Symbol.asyncDispose]: scene[Symbol.asyncDispose] };
}

describe("a language server in the built product", { timeout: 240_000 }, () => {
  test("answers edits with the errors that they introduce, finds symbols, and renames with a checkpoint", async () => {
    await using scene = await startLspScene(LSP);
    const { workspace, call, say, product } = scene;
    // Without a file of the language there is neither a server nor a tool.
    expect(await call({ name: "session_status", arguments: {} })).not.toContain("lsp");
    expect(JSON.stringify(scene.model.requests[0]?.body)).not.toContain("lsp_");
    expect(await processesBelow(product.pid)).toEqual([]);
    await writeFile(join(workspace, "tsconfig.json"), '{ "compilerOptions": { "allowImportingTsExtensions": true, "noEmit": true } }');
    await writeFile(join(workspace, "shape.ts"), SHAPE);
    expect(await call({ name: "write", arguments: { path: "use.ts", content: USE } })).toMatch(/^Wrote use\.ts \(\d+ bytes\)$/);
    const wrong = { path: "use.ts", edits: [{ oldText: "area: number", newText: "area: string" }] };
    const told = "This change introduced errors in use.ts:\n2:14 error: Type 'number' is not assignable to type 'string'. [2322]";
    expect(await call({ name: "edit", arguments: wrong })).toBe(`Edited use.ts (1 replacement)\n${told}`);
    const patch =
      "*** Begin Patch\n*** Update File: use.ts\n@@\n-export const area: string = new Shape().area();\n+export const area: number = new Shape().size();\n*** End Patch";
    expect(await call({ name: "apply_patch", arguments: { patch } })).toContain(
      "2:41 error: Property 'size' does not exist on type 'Shape'.",
    );
    await call({ name: "write", arguments: { path: "use.ts", content: USE } });

    await say("/new");
    expect(await call({ name: "lsp_definition_typescript", arguments: { path: "shape.ts", symbol: "Shape/area" } })).toBe(
      "shape.ts:2:3: area(): number {",
    );
    const rename = { path: "use.ts", symbol: "Shape", newName: "Form" };
    expect(await call({ name: "lsp_rename_typescript", arguments: rename })).toBe("Renamed Shape to Form in shape.ts, use.ts");
    expect(await readFile(join(workspace, "shape.ts"), "utf8")).toBe(SHAPE.replace("Shape", "Form"));
    expect(await say("/undo")).toBe("Restored: shape.ts, use.ts");
    expect([await readFile(join(workspace, "shape.ts"), "utf8"), await readFile(join(workspace, "use.ts"), "utf8")]).toEqual([SHAPE, USE]);

    const below = await processesBelow(product.pid);
    expect(below.length).toBeGreaterThan(0);
    process.kill(product.pid, "SIGKILL");
    await expect.poll(async () => stillRunning(below), { timeout: 20_000 }).toEqual([]);
    await using second = await startLspScene(LSP, product.home);
    expect(await second.call({ name: "session_status", arguments: {} })).not.toContain("lsp");
    expect(await processesBelow(second.product.pid)).toEqual([]);
    expect(await second.call({ name: "lsp_diagnostics_typescript", arguments: { path: "use.ts" } })).toBe(
      "use.ts has no errors or warnings.",
    );
    const running = await processesBelow(second.product.pid);
    expect(await second.product.end("SIGTERM")).toMatchObject({ code: 0 });
    await expect.poll(async () => stillRunning(running), { timeout: 20_000 }).toEqual([]);
  });

  test("that cannot start is one line in the prompt and in status, and changes nothing else", async () => {
    const broken = { servers: { ts: { ...LSP.servers.ts, command: "sh", args: ["-c", "echo no licence found >&2; exit 1"] } } };
    await using scene = await startLspScene(broken);
    await writeFile(join(scene.workspace, "shape.ts"), SHAPE);
    expect(await scene.call({ name: "write", arguments: { path: "use.ts", content: "const a: string = 1;\n" } })).toBe(
      "Wrote use.ts (21 bytes)",
    );
    expect(JSON.stringify(scene.model.requests[0]?.body?.["system"])).toContain("Not usable when this was written: lsp:ts.");
    const { stdout } = await runCommand(["status"], { home: scene.product.home });
    expect(stdout).toContain("The tools of lsp:ts cannot be used: it has ended (no licence found).");
  });
});
