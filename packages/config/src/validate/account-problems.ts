import type { Document } from "../document/plain-object.ts";
import { parserOf, type ChannelSchema } from "./channel-source.ts";
import { explainFinding } from "./explain-finding.ts";
import { findingsOf } from "./issues.ts";
import { configJsonSchema } from "./json-schema.ts";
import { PARSE_ONCE } from "./parse-once.ts";
import type { ConfigProblem } from "./problem.ts";

/** Problems of an account's settings with resolved secrets. Paths are those of the short form; messages contain no value. */
export function accountProblems(channel: ChannelSchema, settings: Document): readonly ConfigProblem[] {
  const parsed = parserOf(channel.schema).safeParse(settings, PARSE_ONCE);
  if (parsed.success) return [];
  const place = ["channels", channel.id];
  const document = { channels: { [channel.id]: settings } };
  return findingsOf(parsed.error.issues, place).map((finding) => explainFinding(finding, document, () => configJsonSchema([channel])));
}
