import { readFile } from "node:fs/promises";
import path from "node:path";
import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import { runCommand, startProduct } from "@factotum/testing-product";
import { describe, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";
import { newestResults, order, startObedientModel } from "./obedient-model.ts";

/** A tree of processes, each of which starts two more: 2^(depth+1) - 1 long-running processes. */
const forkBomb = (depth: number, leaf: string): string =>
  `grow() { [ "$1" -gt 0 ] || { ${leaf}; return; }; grow $(($1 - 1)) & grow $(($1 - 1)) & wait; }; echo begun; grow ${depth}; echo "all of it ran"`;
const holdMemory = (megabytes: number, then: string): string =>
  `node -e 'const held = Buffer.alloc(${megabytes} * 1024 * 1024, 1); console.log("held", held.length); ${then}'; echo "all of it ran"`;
const LIMITS = { mode: "full", maxProcesses: 40, maxMemoryMb: 300 };

/** The tool result of one command, and the product that ran it. */
async function resultOf(
  command: string,
  input: object = {},
): Promise<{ readonly result: string; readonly home: string } & AsyncDisposable> {
  await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  let result = "";
  model.respond(({ body }) => {
    result = /"tool_result".*?"content":"(?<text>(?:[^"\\]|\\.)*)"/.exec(JSON.stringify(body))?.groups?.["text"] ?? "";
    return result === "" ? callTools({ name: "exec", arguments: { command, ...input } }) : sayText("Done.");
  });
  const product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
      tools: { exec: LIMITS },
    },
  });
  const { stdout } = await runCommand(["agent", "--message", "run it"], { home: product.home });
  expect(stdout).toBe("Done.\n");
  return { result, home: product.home, [Symbol.asyncDispose]: () => product[Symbol.asyncDispose]() };
}

/** A zombie does not count as running: reaping it is up to the machine's first process. */
async function isRunning(processId: number): Promise<boolean> {
  const stat = await readFile(`/proc/${processId}/stat`, "utf8").catch(() => "");
  return stat !== "" && !/^\d+ \(.*\) Z/.test(stat);
}

describe.runIf(process.platform === "linux")("resources of commands", () => {
  test("a fork bomb is stopped, and the model learns which limit it was and what to do", async () => {
    await using outcome = await resultOf(forkBomb(7, "sleep 1000"));
    expect(outcome.result).toMatch(
      /^begun\\n\[stopped: all running commands together had \d+ processes, and tools\.exec\.maxProcesses allows 40\. /,
    );
    expect(outcome.result).toContain("your owner can raise the limit");
  });

  test("a command with many processes within the limit ends by itself", async () => {
    await using outcome = await resultOf(forkBomb(3, "sleep 1"));
    expect(outcome.result).toBe("begun\\nall of it ran\\n");
  });

  test("a command that takes too much memory is stopped in the same way", async () => {
    await using outcome = await resultOf(holdMemory(400, "setInterval(() => held[0], 1000)"));
    expect(outcome.result).toMatch(
      /\[stopped: all running commands together used \d+ MB of memory, and tools\.exec\.maxMemoryMb allows 300\. /,
    );
  });

  test("a command with much memory within the limit ends by itself", async () => {
    await using outcome = await resultOf(holdMemory(100, "setTimeout(() => held[0], 800)"));
    expect(outcome.result).toBe("held 104857600\\nall of it ran\\n");
  });

  test("status and doctor show the limits and who enforces them", async () => {
    await using product = await startProduct({ config: { tools: { exec: LIMITS } } });
    for (const command of ["status", "doctor"]) {
      const { stdout } = await runCommand([command], { home: product.home });
      expect(stdout).toMatch(/may have 40 processes and 300 MB of memory: (counted and measured while they run|kept by the kernel)/);
    }
  });

  test.each([
    ["maxProcesses", 40, forkBomb(7, "sleep 1000"), /maxProcesses allows 40\./],
    ["maxMemoryMb", 300, holdMemory(400, "setInterval(() => held[0], 1000)"), /maxMemoryMb allows 300\./],
  ])("tools.exec.%s applies to the next command after a configuration change", async (key, value, command, stopped) => {
    await using model = await startObedientModel();
    await using product = await startProduct({
      config: {
        agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
        models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
        tools: { exec: { mode: "full" } },
      },
    });
    expect(await runCommand(["config", "set", `tools.exec.${key}`, String(value)], { home: product.home })).toMatchObject({ code: 0 });
    const message = `Please ${order({ name: "exec", arguments: { command } })}`;
    await runCommand(["agent", "--message", message], { home: product.home });
    expect(newestResults(model)).toEqual([expect.stringMatching(stopped)]);
  });

  test.each(["maxProcesses", "maxMemoryMb"])("tools.exec.%s must be a whole number above zero", async (key) => {
    await using product = await startProduct({ config: {} });
    const refused = await runCommand(["config", "set", `tools.exec.${key}`, "0"], { home: product.home });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(key);
    expect(await runCommand(["config", "set", `tools.exec.${key}`, "100"], { home: product.home })).toMatchObject({ code: 0 });
  });
});

describe.runIf(process.platform === "linux")(
  "a daemon with a clean environment, two sessions away from the command that started it",
  () => {
    const DAEMON = `(setsid env -i PATH="$PATH" sh -c '(setsid sh -c "echo \\$\\$ >daemon; exec sleep 1000" >/dev/null 2>&1 &)' &)`;

    test("ends at the command's time limit", async () => {
      await using outcome = await resultOf(`${DAEMON}; sleep 1000`, { timeoutSeconds: 2 });
      expect(outcome.result).toContain("stopped after 2 seconds");
      const daemon = Number(await readFile(path.join(outcome.home, "workspace/daemon"), "utf8"));
      expect(daemon).toBeGreaterThan(1);
      expect(await isRunning(daemon)).toBe(false);
    });

    test.each(["SIGTERM", "SIGKILL"] as const)("ends with the gateway, or at its next start: %s", async (signal) => {
      await using model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
      model.respond(({ body }) =>
        JSON.stringify(body).includes('"tool_result"')
          ? sayText("Done.")
          : callTools({ name: "exec", arguments: { command: `${DAEMON}; sleep 1000` } }),
      );
      const config = {
        agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
        models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
        tools: { exec: { mode: "full" } },
      };
      await using first = await startProduct({ config });
      const asked = runCommand(["agent", "--message", "run it"], { home: first.home });
      const written = async (): Promise<number> =>
        Number(await readFile(path.join(first.home, "workspace/daemon"), "utf8").catch(() => "0"));
      await expect.poll(written).toBeGreaterThan(1);
      const daemon = await written();
      expect(await isRunning(daemon)).toBe(true);
      await first.end(signal);
      await asked;
      if (signal === "SIGKILL") {
        await using second = await startProduct({ config, home: first.home });
        await second.end("SIGTERM");
      }
      expect(await isRunning(daemon)).toBe(false);
    });
  },
);
