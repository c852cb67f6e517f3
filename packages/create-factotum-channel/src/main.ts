#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { createChannel, CreateError } from "./create-channel.ts";
import type { CreateOptions } from "./create-channel.ts";
import { isTransport, TRANSPORTS, type Transport } from "./read-template.ts";
import { tarballsIn } from "./tarballs.ts";

const OPTIONS = { packages: { type: "string" }, transport: { type: "string" }, help: { type: "boolean", short: "h" } } as const;
const USAGE = `Usage: npm create factotum-channel <name> [-- --transport ${TRANSPORTS.join("|")} --packages <folder of tarballs>]\n`;

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(USAGE);
    process.exit();
  }
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new CreateError(USAGE.trim());
  const { versions, builtIn } = JSON.parse(readFileSync(join(import.meta.dirname, "product.json"), "utf8")) as Pick<
    CreateOptions,
    "versions" | "builtIn"
  >;
  const folder = createChannel(name, {
    parent: process.cwd(),
    template: join(import.meta.dirname, "template"),
    transport: await chooseTransport(values.transport),
    builtIn,
    versions: { ...versions, ...(values.packages === undefined ? {} : tarballsIn(resolve(values.packages), Object.keys(versions))) },
  });
  process.stdout.write(`Wrote ${folder}. Next:\n  cd ${name} && npm install && npm test\n`);
} catch (error) {
  const isUsage = error instanceof CreateError || (error instanceof TypeError && "code" in error);
  if (!isUsage) throw error;
  process.stderr.write(`${error.message}${error instanceof CreateError ? "" : `\n${USAGE.trim()}`}\n`);
  process.exitCode = 1;
}

/** The given transport; asked for at a terminal, and otherwise a webhook. */
async function chooseTransport(given: string | undefined): Promise<Transport> {
  if (given !== undefined) return parseTransport(given);
  if (!process.stdin.isTTY || !process.stdout.isTTY) return "webhook";
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question(`How do events reach the channel: ${TRANSPORTS.join(", ")}? [webhook] `);
    return answer.trim() === "" ? "webhook" : parseTransport(answer.trim());
  } finally {
    terminal.close();
  }
}

function parseTransport(name: string): Transport {
  if (isTransport(name)) return name;
  throw new CreateError(`There is no transport "${name}". There are ${TRANSPORTS.join(", ")}.`);
}
