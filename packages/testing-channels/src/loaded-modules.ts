import { execFileSync } from "node:child_process";

/**
 * The URLs of the modules that a new process loads when it imports `entry`, the path of an extension's source, and runs `code`, where `extension` is the
 * imported module. Fails if the code does.
 */
export function loadedModules(entry: string, code: string): readonly string[] {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const extension = await import(${JSON.stringify(entry)});
    ${code}
    console.log(JSON.stringify(loaded));
  `;
  const output = execFileSync(process.execPath, ["--conditions=factotum-source", "--input-type=module", "--eval", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  return JSON.parse(output) as readonly string[];
}
