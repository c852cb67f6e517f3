import type { JsonValue } from "@factotum/agent-contract";
import { changeConfig, formatProblem, valueAt, type ConfigEdit, type FactotumConfig } from "@factotum/config";
import { CliError } from "../runtime/cli-error.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { configOptions } from "./extensions.ts";
import { listPackages } from "./installed-packages.ts";

/** True if the configuration uses plugins and servers of these ids. */
export function isUsed(ids: readonly string[], { entries, allow, deny }: FactotumConfig["plugins"]): boolean {
  return ids.every((id) => entries[id]?.enabled !== false && !deny.includes(id) && allow?.includes(id) !== false);
}

/** Switches the plugins and servers of a package on or off in the configuration; their settings stay. Rejects with a `CliError` that says why it was not changed. */
export async function switchPackage({ env }: Pick<CliContext, "env">, name: string, isOn: boolean): Promise<void> {
  const { packages } = await listPackages(env);
  const found = packages.find((one) => one.name === name);
  if (found === undefined)
    throw new CliError("usage", `"${name}" is not installed.`, { fix: "List the packages with: factotum plugins list" });
  const { ids } = found;
  if (ids.length === 0)
    throw new CliError("usage", `${name} has no plugins and no servers that can be switched ${isOn ? "on" : "off"}.`, {
      fix: "Remove it, or remove the accounts of its channels.",
    });
  const result = await changeConfig((before) => editsFor(before, ids, isOn), await configOptions(env));
  if (result.type !== "refused") return;
  throw new CliError("configInvalid", `${result.path} was not changed: ${result.problems.map(formatProblem).join("; ")}`);
}

function editsFor(before: object, ids: readonly string[], isOn: boolean): readonly ConfigEdit[] {
  const listAt = (name: "allow" | "deny"): readonly JsonValue[] | undefined => {
    const found: unknown = valueAt(before, ["plugins", name]);
    return Array.isArray(found) ? (found as readonly JsonValue[]) : undefined;
  };
  const [allow, deny] = [listAt("allow"), listAt("deny")];
  if (!isOn) return ids.map((id) => ({ path: ["plugins", "entries", id, "enabled"], value: false }));
  const edits: ConfigEdit[] = ids
    .filter((id) => valueAt(before, ["plugins", "entries", id, "enabled"]) === false)
    .map((id) => ({ path: ["plugins", "entries", id, "enabled"], value: true }));
  const isNamed = (id: JsonValue): boolean => typeof id === "string" && ids.includes(id);
  if (deny?.some(isNamed) === true) edits.push({ path: ["plugins", "deny"], value: deny.filter((id) => !isNamed(id)) });
  const missing = allow === undefined ? [] : ids.filter((id) => !allow.includes(id));
  if (allow !== undefined && missing.length > 0) edits.push({ path: ["plugins", "allow"], value: [...allow, ...missing] });
  return edits;
}
