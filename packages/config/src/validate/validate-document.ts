import type { JsonSchema } from "@factotum/agent-contract";
import { valueAt, without, type KeyPath } from "../document/key-path.ts";
import { readOldForms } from "../document/old-forms.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import { nearestName, suggestion } from "../nearest-name.ts";
import type { ChannelConfig } from "../schema/accounts.ts";
import { ConfigDocumentSchema, type ConfigDocument } from "../schema/root.ts";
import type { ChannelSource } from "./channel-source.ts";
import { checkProviderPolicies } from "./check-provider-policies.ts";
import { checkReferences } from "./check-references.ts";
import { checkToolLists, withKnownChannels } from "./check-tool-lists.ts";
import { checkUnenforced } from "./check-unenforced.ts";
import type { Finding } from "./issues.ts";
import { configJsonSchema, knownKeys } from "./json-schema.ts";
import { parseChannels } from "./parse-channels.ts";
import { parseKnown } from "./parse-known.ts";
import { isFatal, problemAt, type ConfigProblem } from "./problem.ts";
import { isRestriction, losesRestriction, restrictingKeyLike } from "./restrictions.ts";

/** A document that fits the schema, unknown keys left out. */
export interface ValidDocument {
  /** As it was written, old forms renamed, unknown keys gone. */
  readonly written: Document;
  readonly parsed: ConfigDocument;
  readonly channels: Readonly<Record<string, ChannelConfig>>;
}

/** The result of a check. `valid` is set unless a problem is fatal. */
export interface Validation {
  readonly problems: readonly ConfigProblem[];
  readonly valid?: ValidDocument;
}

/** Checks a document against the whole schema. Never throws because of the document. */
export async function validateDocument(raw: Document, sources: readonly ChannelSource[]): Promise<Validation> {
  const { $schema: _editor, ...document } = raw;
  const { document: current, conflicts } = readOldForms(document);
  const root = parseKnown(ConfigDocumentSchema, current);
  const rawChannels = isPlainObject(root.written["channels"]) ? root.written["channels"] : {};
  const channels = await parseChannels(rawChannels, sources);
  let schema: JsonSchema | undefined;
  // Made for the first unknown key only: it costs more than the whole check.
  const keysAt = (path: KeyPath): string[] => knownKeys((schema ??= configJsonSchema(channels.schemas)), path);
  const findings = [...root.findings, ...channels.findings];
  const policies = withKnownChannels(
    root.written,
    sources.map(({ id }) => id),
  );
  const problems = [
    ...conflicts.map(({ path, message }) => invalidAt(path, message)),
    ...findings.map((finding) => toProblem(finding, current, keysAt)),
    ...channels.problems,
    ...(root.parsed === undefined ? [] : checkReferences(root.parsed)),
    ...checkUnenforced(policies),
    ...checkToolLists(policies),
    ...checkProviderPolicies(policies),
  ];
  if (root.parsed === undefined || problems.some(isFatal)) return { problems };
  const written = channels.findings
    .filter(({ type }) => type === "unknown-key")
    .reduce((kept, { path }) => without(kept, path), root.written);
  return { problems, valid: { written, parsed: root.parsed, channels: channels.channels } };
}

function toProblem(finding: Finding, document: Document, keysAt: (path: KeyPath) => readonly string[]): ConfigProblem {
  if (finding.type === "unknown-key") {
    const nearest = nearestName(finding.key, keysAt(finding.path.slice(0, -1)));
    const value = valueAt(document, finding.path);
    if (!losesRestriction(finding.path, { value, meant: nearest }))
      return problemAt("unknown-key", finding.path, `there is no such key${suggestion(nearest)}`);
    const advice =
      suggestion(nearest) || nestedForm(finding.key) || `; remove it${ADVICE.get(restrictingKeyLike(finding.key) ?? "") ?? ""}`;
    return problemAt("unenforced", finding.path, `there is no such key here, so nothing would keep to it${advice}`);
  }
  const written = valueAt(document, finding.path);
  const nearest = typeof written === "string" ? nearestName(written, finding.options ?? []) : undefined;
  return invalidAt(finding.path, `${finding.message}${suggestion(nearest)}`);
}

/** What to write instead of a known key at a place that does not have it. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["exec", ', and write tools.exec for all agents, or deny: ["group:runtime"] in the tools of this one'],
  ["sandbox", ", and write sandbox under agents.defaults or an agent"],
  ["byProvider", ", and write tools.byProvider for all agents"],
]);

/** How a path with points is written in a file; nothing for a key that is none. */
function nestedForm(key: string): string {
  if (!key.includes(".")) return "";
  return `; write it as objects in each other: ${key.split(".").reduceRight((inner, part) => `${part}: ${inner === "…" ? inner : `{ ${inner} }`}`, "…")}`;
}

/** A restriction that cannot be read is not replaced by an earlier file: that one may allow what this one forbids. */
function invalidAt(path: KeyPath, message: string): ConfigProblem {
  return problemAt(isRestriction(path) ? "unenforced" : "invalid-value", path, message);
}
