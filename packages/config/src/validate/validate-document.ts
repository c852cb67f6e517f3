import type { JsonSchema } from "@factotum/agent-contract";
import { withoutAll } from "../document/key-path.ts";
import { readOldForms } from "../document/old-forms.ts";
import { isPlainObject, type Document } from "../document/plain-object.ts";
import type { ChannelConfig } from "../schema/accounts.ts";
import { ConfigDocumentSchema, type ConfigDocument } from "../schema/root.ts";
import { isAvailable, type ChannelSource } from "./channel-source.ts";
import { checkBindings } from "./check-bindings.ts";
import { checkBroadcast } from "./check-broadcast.ts";
import { checkHeartbeats } from "./check-heartbeats.ts";
import { checkProviderPolicies } from "./check-provider-policies.ts";
import { checkSenderPolicies } from "./check-sender-policies.ts";
import { checkReferences } from "./check-references.ts";
import { checkToolLists, withKnownChannels } from "./check-tool-lists.ts";
import { explainFinding } from "./explain-finding.ts";
import { configJsonSchema } from "./json-schema.ts";
import { parseChannels } from "./parse-channels.ts";
import { parseKnown } from "./parse-known.ts";
import { isFatal, problemAt, type ConfigProblem } from "./problem.ts";
import { isRestriction } from "./restrictions.ts";

/** A document that fits the schema, without unknown keys. */
export interface ValidDocument {
  /** As written, old forms renamed, unknown keys removed. */
  readonly written: Document;
  readonly parsed: ConfigDocument;
  readonly channels: Readonly<Record<string, ChannelConfig>>;
}

/** The result of a validation. `valid` is set unless a problem is fatal. */
export interface Validation {
  readonly problems: readonly ConfigProblem[];
  readonly valid?: ValidDocument;
}

const EDITORS_SCHEMA = 'a text is expected, such as "./factotum.schema.json", which "factotum setup" writes';

/** Checks a document against the whole schema. Never throws because of the document. */
export async function validateDocument(raw: Document, sources: readonly ChannelSource[]): Promise<Validation> {
  const { $schema: editors, ...document } = raw;
  const { document: current, conflicts } = readOldForms(document);
  const root = parseKnown(ConfigDocumentSchema, current);
  const rawChannels = isPlainObject(root.written["channels"]) ? root.written["channels"] : {};
  const channels = await parseChannels(rawChannels, sources);
  let schema: JsonSchema | undefined;
  // Made for the first finding only: it costs more than the whole check.
  const schemaOf = (): JsonSchema => (schema ??= configJsonSchema(channels.schemas));
  const findings = [...root.findings, ...channels.findings];
  const targets = { channelIds: sources.map(({ id }) => id), channels: channels.channels };
  const policies = withKnownChannels(
    root.written,
    sources.filter(isAvailable).map(({ id }) => id),
  );
  const problems = [
    ...(editors === undefined || typeof editors === "string" ? [] : [problemAt("invalid-value", ["$schema"], EDITORS_SCHEMA)]),
    ...conflicts.map(({ path, message }) => problemAt(isRestriction(path) ? "unenforced" : "invalid-value", path, message)),
    ...findings.map((finding) => explainFinding(finding, current, schemaOf)),
    ...channels.problems,
    ...(root.parsed === undefined ? [] : checkReferences(root.parsed)),
    ...(root.parsed === undefined ? [] : checkBindings(root.parsed.bindings, targets)),
    ...(root.parsed === undefined ? [] : checkBroadcast(root.parsed, { sources, channels: channels.channels })),
    ...(root.parsed === undefined ? [] : checkHeartbeats(root.parsed, targets)),
    ...checkToolLists(policies),
    ...checkProviderPolicies(policies),
    ...(await checkSenderPolicies(policies, sources)),
  ];
  if (root.parsed === undefined || problems.some(isFatal)) return { problems };
  const unknown = channels.findings.filter(({ type }) => type === "unknown-key").map(({ path }) => path);
  const written = withoutAll(root.written, unknown);
  return { problems, valid: { written, parsed: root.parsed, channels: channels.channels } };
}
