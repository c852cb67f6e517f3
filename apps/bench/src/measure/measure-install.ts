import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Measurements } from "../report/figures.ts";

const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Packs the command of `entry` and installs it like a user would, without its optional dependencies. Offline: a missing dependency would fail here. */
export async function measureInstall(entry: string): Promise<Measurements> {
  const folder = await mkdtemp(path.join(tmpdir(), "factotum-install-"));
  try {
    const npm = async (...args: readonly string[]): Promise<string> => {
      const env = { PATH: process.env["PATH"], HOME: folder };
      return (await promisify(execFile)("npm", [...args, ...QUIET], { cwd: folder, env })).stdout;
    };
    const packageFolder = path.dirname(path.dirname(path.resolve(entry)));
    const [packed] = JSON.parse(await npm("pack", packageFolder, "--json", "--pack-destination", folder)) as { filename: string }[];
    if (packed === undefined) throw new Error(`${packageFolder} could not be packed.`);
    const target = path.join(folder, "installed");
    await npm("install", "--prefix", target, "--offline", "--omit=optional", "--omit=peer", path.join(folder, packed.filename));
    return await sizesOf(path.join(target, "node_modules"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function sizesOf(modules: string): Promise<Measurements> {
  const names = await readdir(modules, { recursive: true });
  const facts = await Promise.all(names.map(async (name) => ({ name, stat: await stat(path.join(modules, name)) })));
  const files = facts.filter((one) => one.stat.isFile());
  const packages = files.filter(({ name }) => /(?:^|node_modules\/)(?:@[^/]+\/)?[^/]+\/package\.json$/.test(name));
  return {
    installSize: { value: files.reduce((sum, one) => sum + one.stat.size, 0) / 1_000_000 },
    installPackages: { value: packages.length },
    installFiles: { value: files.length },
  };
}
