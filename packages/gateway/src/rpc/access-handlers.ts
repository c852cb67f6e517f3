import type { AccessRole, AccountAccess, DmPolicy, GroupPolicy, RpcMethod } from "@factotum/protocol";
import type { AccountAddress } from "../channels/channel-inspector.ts";
import { addressOf } from "./channel-handlers.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

/** Who may write to an account, for clients. Rejects with an `RpcError` that says what to do; then nothing was changed. A change is in use when it resolves. */
export interface AccessService {
  read(account: AccountAddress): Promise<AccountAccess>;
  allow(account: AccountAddress, id: string, as: AccessRole): Promise<AccountAccess>;
  remove(account: AccountAddress, id: string, as: AccessRole): Promise<AccountAccess>;
  setPolicy(
    account: AccountAddress,
    policy: { readonly dmPolicy?: DmPolicy | undefined; readonly groupPolicy?: GroupPolicy | undefined },
  ): Promise<AccountAccess>;
}

/** The methods of who may write to an account. */
export function accessHandlers(service: AccessService): RpcHandlersOf<Extract<RpcMethod, `access.${string}`>> {
  return {
    "access.list": async (params) => service.read(addressOf(params)),
    "access.allow": async ({ id, as, ...params }) => service.allow(addressOf(params), id, as),
    "access.remove": async ({ id, as, ...params }) => service.remove(addressOf(params), id, as),
    "access.policy": async ({ dmPolicy, groupPolicy, ...params }) => service.setPolicy(addressOf(params), { dmPolicy, groupPolicy }),
  };
}
