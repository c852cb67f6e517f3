import { isDeepStrictEqual } from "node:util";
import type { KeyPath } from "../document/key-path.ts";
import { nearestName } from "@factotum/agent-contract";
import { suggestion } from "../suggestion.ts";
import type { ChannelConfig } from "../schema/accounts.ts";
import type { BindingConfig } from "../schema/bindings.ts";
import { problemAt, type ConfigProblem } from "./problem.ts";

/** What this build and the file have to bind to. */
export interface BindingTargets {
  /** Channels of this build. */
  readonly channelIds: readonly string[];
  /** Channels of the file, and those that are always present. */
  readonly channels: Readonly<Record<string, ChannelConfig>>;
}

/** Finds bindings that match no message. Those of an account that was removed, and repeated ones, are only worth knowing: the agent's name is checked elsewhere. */
export function checkBindings(bindings: readonly BindingConfig[], targets: BindingTargets): ConfigProblem[] {
  return bindings.flatMap((binding, index) => checkBinding(binding, { index, bindings, ...targets }));
}

function checkBinding(
  { match }: BindingConfig,
  { index, bindings, channelIds, channels }: BindingTargets & { readonly index: number; readonly bindings: readonly BindingConfig[] },
): ConfigProblem[] {
  const path: KeyPath = ["bindings", index, "match"];
  const { channel, accountId = "default", guildId, teamId } = match;
  if (!channelIds.includes(channel)) {
    const message = `this build has no channel "${channel}"${suggestion(nearestName(channel, channelIds))}, so the binding matches nothing`;
    return [problemAt("unknown-channel", [...path, "channel"], message)];
  }
  if (guildId !== undefined && teamId !== undefined && guildId !== teamId) {
    return [
      problemAt("invalid-value", path, "guildId and teamId name the same place by two ids, so the binding matches nothing; take one away"),
    ];
  }
  const accounts = Object.keys(channels[channel]?.accounts ?? {});
  const problems: ConfigProblem[] = [];
  if (accountId !== "*" && !accounts.includes(accountId)) {
    const which = match.accountId === undefined ? 'without accountId the binding is for the account "default", which' : "this account";
    const known = accounts.length === 0 ? "the channel has no account" : `the channel has ${accounts.join(", ")}; * stands for all`;
    problems.push(problemAt("notice", [...path, "accountId"], `${which} is not configured, so the binding matches nothing: ${known}`));
  }
  const earlier = bindings.findIndex((other) => isDeepStrictEqual(normalForm(other), normalForm({ match })));
  if (earlier < index)
    problems.push(problemAt("notice", path, `bindings[${earlier}] has the same match and comes first, so this binding is never used`));
  return problems;
}

/** Equal for bindings that match the same messages in the same tier. */
function normalForm({ match }: Pick<BindingConfig, "match">): object {
  const { accountId = "default", roles, ...others } = match;
  return { accountId, ...others, ...(roles === undefined ? {} : { roles: roles.toSorted() }) };
}
