import type { RpcMethod } from "@factotum/protocol";

/** Which methods are refused while nothing can be stored. Whoever stops a run may always do so. */
const STORES: { readonly [Method in RpcMethod]: boolean } = {
  "chat.send": true,
  "chat.history": false,
  "chat.subscribe": false,
  "chat.unsubscribe": false,
  "chat.abort": false,
  agent: true,
  "agents.list": false,
  "sessions.list": false,
  "sessions.resolve": false,
  "sessions.show": false,
  "sessions.export": false,
  "sessions.import": true,
  "sessions.patch": true,
  "sessions.reset": true,
  "sessions.delete": true,
  "context.list": false,
  "context.report": false,
  "context.replay": false,
  "deadletters.list": false,
  "deadletters.show": false,
  "deadletters.replay": true,
  "deadletters.purge": true,
  status: false,
  "warnings.list": false,
  "damage.list": false,
  "damage.acknowledge": true,
  "config.reload": false,
  "gateway.restart": false,
  "gateway.shutdown": false,
};

/** True for a method whose work is nothing without the store. */
export function storesSomething(method: RpcMethod): boolean {
  return STORES[method];
}
