import type * as z from "zod";
import { parseKeyPath, withValue } from "../document/key-path.ts";
import type { Document } from "../document/plain-object.ts";
import { CommonAccountSchema } from "../schema/accounts.ts";
import { checkAccountKeys } from "./account-keys.ts";
import { parserOf, type ChannelSchema } from "./channel-source.ts";
import { explainFinding } from "./explain-finding.ts";
import { findingsOf } from "./issues.ts";
import { configJsonSchema } from "./json-schema.ts";
import { PARSE_ONCE } from "./parse-once.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** Problems of an account's settings with resolved secrets. Paths are those of the short form; messages contain no value. */
export function accountProblems(channel: ChannelSchema, settings: Document): readonly ConfigProblem[] {
  const parsed = parserOf(channel.schema).safeParse(settings, PARSE_ONCE);
  if (parsed.success) return [];
  const place = ["channels", channel.id];
  const document = { channels: { [channel.id]: settings } };
  return findingsOf(parsed.error.issues, place).map((finding) => explainFinding(finding, document, () => configJsonSchema([channel])));
}

/** The written settings of one account, before they are part of a file. */
export interface WrittenAccount {
  /** Where they will be written: `channels.<id>`, or the key of one of its accounts. */
  readonly key: string;
  /** With the keys that every account has, which are not checked here. */
  readonly settings: Document;
}

/**
 * Problems of settings that the extension's own schema finds, among them what its JSON Schema cannot state, such as the protocol of an address. Values of secret
 * references are not known and not checked. Paths are those of the file; messages contain no value.
 */
export function extensionProblems(channel: ChannelSchema, parser: z.ZodType, account: WrittenAccount): readonly ConfigProblem[] {
  const place = parseKeyPath(account.key);
  const own = Object.fromEntries(Object.entries(account.settings).filter(([key]) => !Object.hasOwn(CommonAccountSchema.shape, key)));
  const document = withValue({}, place, own);
  let findings: ReturnType<typeof checkAccountKeys>["findings"];
  try {
    ({ findings } = checkAccountKeys(parser, own));
  } catch {
    // The text of a foreign error may contain a secret.
    return [problemAt("invalid-value", place, "the channel's own schema could not check these settings")];
  }
  return findings.map((finding) =>
    explainFinding({ ...finding, path: [...place, ...finding.path] }, document, () => configJsonSchema([channel])),
  );
}
