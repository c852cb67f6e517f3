import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { CliError } from "../runtime/cli-error.ts";
import { providedChannels } from "./provided-types.ts";
import { readManifest } from "./read-manifest.ts";

const run = promisify(execFile);

/** A channel of a checkout of the repository. */
interface CheckoutChannel {
  /** Of its package. */
  readonly folder: string;
  /** What it is and what one needs for it. */
  readonly about?: string | undefined;
}

/** The channels in a checkout of the repository, by their ids; empty for a folder that is no checkout. */
export async function checkoutChannels(root: string | undefined): Promise<ReadonlyMap<string, CheckoutChannel>> {
  if (root === undefined || !existsSync(join(root, "pnpm-workspace.yaml")) || !existsSync(join(root, "apps/factotum/package.json")))
    return new Map();
  const extensions = join(root, "extensions");
  const found = new Map<string, CheckoutChannel>();
  for (const name of await readdir(extensions)) {
    const reading = await readManifest(join(extensions, name));
    if (reading.type !== "manifest") continue;
    for (const { id, about } of providedChannels(reading.manifest.provides)) found.set(id, { folder: join(extensions, name), about });
  }
  return found;
}

/** Builds a channel of the checkout as its own packing does; what did not change is not built again. Rejects with a `CliError` that has the last words of the build. */
export async function buildCheckoutChannel(root: string, folder: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  const reading = await readManifest(folder);
  if (reading.type !== "manifest") return;
  const { name, provides } = reading.manifest;
  if (providedChannels(provides).every(({ entry }) => existsSync(join(folder, entry)))) return;
  try {
    await run(process.execPath, [join(root, "scripts/bootstrap.mjs"), "exec", "turbo", "run", "build", `--filter=${name}`], {
      cwd: root,
      signal,
    });
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim().slice(-400) : "";
    throw new CliError("failure", `${name} could not be built: ${said === "" ? "the build ended without a message" : said}`, { cause });
  }
}
