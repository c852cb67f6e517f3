import { valueAt } from "../document/key-path.ts";
import { matchingPaths } from "../document/matching-paths.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { PROVIDER_NAMES } from "../models/provider-names.ts";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "../suggestion.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** Validates the keys of `tools.byProvider`. A policy that narrows must name a provider exactly, or it narrows nothing. */
export function checkProviderPolicies(document: Document): ConfigProblem[] {
  const configured = matchingPaths(document, "models.providers.*").map((path) => String(path.at(-1)));
  const known = [...new Set([...configured, ...PROVIDER_NAMES])];
  return matchingPaths(document, "tools.byProvider.*").flatMap((path) => {
    const key = String(path.at(-1));
    if (known.includes(key) || !narrows(valueAt(document, path))) return [];
    const [provider = ""] = key.split("/");
    const meant = known.includes(provider) ? provider : nearestName(provider, known);
    const reason = key.includes("/") ? `"${key}" names a model, and this holds for providers` : `there is no provider "${key}"`;
    return [problemAt("unenforced", path, `${reason}, so it narrows nothing${suggestion(meant)}`)];
  });
}

function narrows(policy: unknown): boolean {
  if (!isPlainObject(policy)) return false;
  const { allow, deny, profile } = policy;
  const lacks = (value: unknown, whole: string): boolean => value !== undefined && ![value].flat().includes(whole);
  return (Array.isArray(deny) && deny.length > 0) || lacks(allow, "*") || lacks(profile, "full");
}
