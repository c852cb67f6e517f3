import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethod, WebhookDelivery } from "@factotum/protocol";
import type { InputRecord, InputState, SessionStore } from "@factotum/store";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

const DEFAULT_LIMIT = 20;
/** Messages of all kinds that are looked at. */
const LOOKED_AT = 300;

/** As the intake names them: the address, then an id. */
const EVENT = /^hook:(?:mapping:)?(?<webhook>[^:]+):[^:]+$/;

const STATES: Readonly<Record<InputState["type"], WebhookDelivery["state"]>> = {
  waiting: "waiting",
  claimed: "running",
  answered: "answered",
  command: "answered",
  shown: "shown",
  silent: "silent",
  suppressed: "silent",
  ignored: "failed",
  interrupted: "failed",
  told: "failed",
  dead: "failed",
};

/** The methods of the requests of other systems. */
export function webhookHandlers({ parts: { store } }: Engine): RpcHandlersOf<Extract<RpcMethod, `webhooks.${string}`>> {
  return {
    "webhooks.deliveries": async ({ limit = DEFAULT_LIMIT }) => {
      const inputs = await store.listRecentInputs(LOOKED_AT);
      const found = inputs.flatMap((input) => {
        const webhook = EVENT.exec(input.message.eventId)?.groups?.["webhook"];
        return webhook === undefined || input.admission.kind !== "hook" ? [] : [{ webhook, input }];
      });
      return { deliveries: await Promise.all(found.slice(0, limit).map(async (one) => toDelivery(one, store))) };
    },
  };
}

async function toDelivery(
  { webhook, input: { receivedAtMs, state, admission, turnId } }: { readonly webhook: string; readonly input: InputRecord },
  store: Pick<SessionStore, "readSession">,
): Promise<WebhookDelivery> {
  const { sessionKey } = admission;
  const isThere = sessionKey !== undefined && (await store.readSession(sessionKey)) !== undefined;
  return {
    webhook,
    receivedAtMs,
    state: STATES[state.type],
    ...withoutUndefined({ reason: "reason" in state ? state.reason : undefined, sessionKey: isThere ? sessionKey : undefined, turnId }),
  };
}
