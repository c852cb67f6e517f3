import type { CallOptions, ProbeResult } from "@factotum/channel-contract";
import * as z from "zod";
import type { FeishuBot } from "../api/bot-identity.ts";
import type { ReadApi } from "../context/read-api.ts";
import { toChannelError } from "../errors.ts";
import { lackingScopes } from "./scopes.ts";

const GRANTED = 1;
const ScopesSchema = z.looseObject({
  data: z.looseObject({
    scopes: z.array(z.looseObject({ scope_name: z.string(), grant_status: z.number(), scope_type: z.string().optional() })).default([]),
  }),
});

/** As `Channel.probe`: the bot by the account's credential, and the scopes that its app lacks. */
export async function probeAccount(parts: { readonly bot: FeishuBot; readonly read: ReadApi }, options: CallOptions): Promise<ProbeResult> {
  try {
    const { openId, name } = await parts.bot.get(options);
    const { data } = await parts.read(ScopesSchema, "/application/v6/scopes", {}, options);
    // The same scope can be granted to people, which does not help a bot.
    const granted = data.scopes.filter(({ grant_status: status, scope_type: type }) => status === GRANTED && type !== "user");
    return {
      account: { id: openId, ...(name !== "" && { name }) },
      missingPermissions: lackingScopes(new Set(granted.map(({ scope_name: scope }) => scope))),
    };
  } catch (error) {
    throw toChannelError(error);
  }
}
