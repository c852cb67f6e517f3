import type * as z from "zod";
import type { KeyPath } from "../document/key-path.ts";
import { isPlainObject, overlay, type Document } from "../document/plain-object.ts";
import { nearestName } from "@factotum/agent-contract";
import { withSuggestion } from "../suggestion.ts";
import { CommonAccountSchema, type AccountConfig, type ChannelConfig } from "../schema/accounts.ts";
import { checkAccountKeys } from "./account-keys.ts";
import { isAvailable, parserOf, type AvailableChannel, type ChannelSchema, type ChannelSource } from "./channel-source.ts";
import type { Finding } from "./issues.ts";
import { parseKnown } from "./parse-known.ts";
import { PARSE_ONCE } from "./parse-once.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";
import { losesRestriction } from "./restrictions.ts";

/** Parsed accounts and their problems. */
export interface ParsedChannels {
  readonly channels: Readonly<Record<string, ChannelConfig>>;
  readonly findings: readonly Finding[];
  readonly problems: readonly ConfigProblem[];
  /** The schemas that were needed. */
  readonly schemas: readonly ChannelSchema[];
}

const COMMON_KEYS: ReadonlySet<string> = new Set(Object.keys(CommonAccountSchema.shape));
const ACCOUNT_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Parses `channels`. Only `channels.defaults` is inherited. */
export async function parseChannels(raw: Document, sources: readonly ChannelSource[]): Promise<ParsedChannels> {
  const found: Collected = { channels: {}, findings: [], problems: [], schemas: [], parsers: new Map() };
  const defaults = isPlainObject(raw["defaults"]) ? raw["defaults"] : {};
  const onDefaults = parseKnown(CommonAccountSchema, defaults);
  found.findings.push(...at(onDefaults.findings, ["channels", "defaults"]));
  for (const source of sources.filter(isAvailable)) {
    const block = Object.hasOwn(raw, source.id) ? raw[source.id] : undefined;
    if (isPlainObject(block)) await parseChannel(block, { source, defaults: onDefaults.written, found });
    else if (source.implicit === true && block === undefined) await parseChannel({}, { source, defaults: onDefaults.written, found });
  }
  const ids = sources.filter(isAvailable).map(({ id }) => id);
  for (const id of Object.keys(raw).filter((name) => name !== "defaults" && !ids.includes(name))) {
    found.problems.push(missingChannel(id, raw[id], sources));
  }
  return found;
}

/** A configured channel that no package provides. */
function missingChannel(id: string, value: unknown, sources: readonly ChannelSource[]): ConfigProblem {
  const path = ["channels", id];
  const known = sources.find((source) => source.id === id);
  if (known !== undefined && !isAvailable(known)) return problemAt("unknown-channel", path, known.unavailable);
  const available = sources.filter(isAvailable);
  const ids = available.map((source) => source.id);
  const meant = nearestName(id, [...sources.map((source) => source.id), "defaults"]);
  const sentence = withSuggestion(`this build has no channel "${id}"`, meant);
  // A missing channel admits no one. Settings meant for all channels, or for one that is always present, are lost.
  const isMissed = meant === "defaults" || available.some((source) => source.id === meant && source.implicit === true);
  const type = isMissed && losesRestriction(path, { value, meant }) ? "unenforced" : "unknown-channel";
  const install =
    meant === undefined ? " A package that provides it is installed with: factotum plugins add <folder, tarball or package>" : "";
  return problemAt(type, path, `${sentence} It has: ${ids.join(", ")}.${install}`);
}

interface Collected {
  channels: Record<string, ChannelConfig>;
  findings: Finding[];
  problems: ConfigProblem[];
  schemas: ChannelSchema[];
  readonly parsers: Map<string, z.ZodType>;
}

interface ChannelContext {
  readonly source: AvailableChannel;
  readonly defaults: Document;
  readonly found: Collected;
}

async function parseChannel(block: Document, context: ChannelContext): Promise<void> {
  const { source, defaults, found } = context;
  const path = ["channels", source.id];
  const written = accountsOf(block, path, found);
  const isOn = !("accounts" in block) || block["enabled"] !== false;
  const accounts: Record<string, AccountConfig> = {};
  for (const { accountId, account, place } of written) {
    if (!ACCOUNT_ID.test(accountId)) {
      found.problems.push(problemAt("invalid-value", place, "an account's name is letters, digits, -, _ and ., at most 64 of them"));
      continue;
    }
    const common = Object.fromEntries(Object.entries(account).filter(([key]) => COMMON_KEYS.has(key)));
    const own = Object.fromEntries(Object.entries(account).filter(([key]) => !COMMON_KEYS.has(key)));
    const onOwn = parseKnown(CommonAccountSchema, common);
    found.findings.push(...at(onOwn.findings, place));
    const parsed = CommonAccountSchema.safeParse(overlay(defaults, onOwn.written), PARSE_ONCE);
    const enabled = isOn && common["enabled"] !== false && (defaults["enabled"] !== false || common["enabled"] === true);
    const settings = enabled ? await ownSettings(own, place, context) : own;
    if (!parsed.success) continue;
    const isOpen = parsed.data.dmPolicy === "open" && !parsed.data.allowFrom.includes("*");
    if (isOpen)
      found.problems.push(problemAt("invalid-value", [...place, "dmPolicy"], '"open" lets everybody in: say so with allowFrom: ["*"]'));
    accounts[accountId] = { ...parsed.data, enabled, channel: source.id, accountId, settings };
  }
  found.channels[source.id] = { accounts };
}

interface WrittenAccount {
  readonly accountId: string;
  readonly account: Document;
  readonly place: KeyPath;
}

function accountsOf(block: Document, path: KeyPath, found: Collected): WrittenAccount[] {
  if (!("accounts" in block)) return [{ accountId: "default", account: block, place: path }];
  const beside = Object.keys(block).filter((key) => key !== "accounts" && key !== "enabled");
  if (beside.length > 0) {
    const text = `"accounts" and the short form stand side by side (${beside.join(", ")}); move these keys to accounts.default`;
    found.problems.push(problemAt("invalid-value", path, text));
  }
  if (block["enabled"] !== undefined && typeof block["enabled"] !== "boolean") {
    found.problems.push(problemAt("invalid-value", [...path, "enabled"], "true or false is expected"));
  }
  const accounts = block["accounts"];
  if (!isPlainObject(accounts)) {
    found.problems.push(
      problemAt("invalid-value", [...path, "accounts"], "an object is expected: { name: { … } }, one entry for each account"),
    );
    return [];
  }
  return Object.entries(accounts).flatMap(([accountId, account]) => {
    const place = [...path, "accounts", accountId];
    if (isPlainObject(account)) return [{ accountId, account, place }];
    found.problems.push(problemAt("invalid-value", place, "an object with the keys of the account is expected: { … }"));
    return [];
  });
}

async function ownSettings(own: Document, place: KeyPath, { source, found }: ChannelContext): Promise<Document> {
  // An implicit channel that is not configured needs no validation, and its schema stays unloaded.
  if (source.implicit === true && Object.keys(own).length === 0) return own;
  const parser = await loadParser(source, found);
  if (parser === undefined) return own;
  const { findings, settings } = checkAccountKeys(parser, own);
  found.findings.push(...at(findings, place));
  return settings;
}

/** The parser of the channel's accounts; `undefined` with a problem if its schema cannot be used. The account's start fails for the same reason. */
async function loadParser(source: AvailableChannel, found: Collected): Promise<z.ZodType | undefined> {
  const { id } = source;
  const known = found.parsers.get(id);
  if (known !== undefined) return known;
  try {
    const schema = await source.load();
    const parser = parserOf(schema);
    found.schemas.push({ id, schema });
    found.parsers.set(id, parser);
    return parser;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    found.problems.push(problemAt("unknown-channel", ["channels", id], `its settings cannot be checked: ${reason}`));
    return undefined;
  }
}

function at(findings: readonly Finding[], place: KeyPath): Finding[] {
  return findings.map((finding) => ({ ...finding, path: [...place, ...finding.path] }));
}
