import type { Environment, FactotumConfig } from "@factotum/config";
import { SEARCH_PROVIDERS } from "@factotum/tools";
import { webSearchProblem, webSearchSettings } from "../compose/web-search-settings.ts";
import { ok, type Finding } from "./finding.ts";

/** The search service and its key. Asks no service, since each question is charged. */
export async function checkWeb(config: FactotumConfig, env: Environment): Promise<readonly Finding[]> {
  const { search, fetch } = config.tools.web;
  const findings: Finding[] = [];
  const problem = await webSearchProblem(config, env);
  const { provider } = webSearchSettings(config, env);
  if (problem === undefined) {
    findings.push(ok("web-search", `web_search asks ${SEARCH_PROVIDERS[provider].label}`));
  } else {
    findings.push({
      check: "web-search",
      level: "warning",
      message: `${problem}.`,
      fix: `Write the key into a file of the folder credentials that only you can read, and name that: factotum config set tools.web.search.apiKey '{ file: "credentials/NAME" }'. Or search without a key: factotum config set tools.web.search.provider duckduckgo`,
    });
  }
  const unused = (key: string, why: string): Finding => ({
    check: "unused",
    level: "warning",
    message: `tools.web.search.${key} has no effect: ${why}.`,
    fix: `factotum config unset tools.web.search.${key}, or name its service: factotum config set tools.web.search.provider NAME`,
  });
  const whose = search.provider === undefined ? "no provider is named" : undefined;
  if (search.baseUrl !== undefined && whose !== undefined) findings.push(unused("baseUrl", whose));
  if (search.apiKey !== undefined && (whose !== undefined || SEARCH_PROVIDERS[provider].keyVariable === undefined))
    findings.push(unused("apiKey", whose ?? `${SEARCH_PROVIDERS[provider].label} takes none`));
  const wide = fetch.allowPrivate.filter((place) => isWide(place));
  if (wide.length > 0) {
    findings.push({
      check: "unsafe",
      level: "warning",
      message: `tools.web.fetch.allowPrivate opens a large network (${wide.join(", ")}): a page can have web_fetch read what is in it.`,
      fix: `Name single places: factotum config set tools.web.fetch.allowPrivate '["nas.lan:8080"]'`,
    });
  }
  return findings;
}

function isWide(place: string): boolean {
  const [address = "", prefix] = place.split("/");
  return prefix !== undefined && Number(prefix) < (address.includes(":") ? 48 : 16);
}
