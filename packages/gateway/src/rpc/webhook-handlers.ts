import { type AssistantMessage, withoutUndefined } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import type { RpcMethod, WebhookDelivery } from "@factotum/protocol";
import type { InputRecord, InputState } from "@factotum/store";
import type { Engine } from "../engine/engine.ts";
import type { RpcHandlersOf } from "./rpc-connection.ts";

const DEFAULT_LIMIT = 20;
/** Messages of all kinds that are looked at. */
const LOOKED_AT = 300;

/** UTF-16 units of what was sent, and of the answer to it, that a list shows. */
const MAX_EXCERPT_CHARS = 300;
/** Newest entries of a conversation among which the answer of a turn is looked for. */
const ANSWER_ENTRIES = 50;

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
export function webhookHandlers({ parts }: Engine): RpcHandlersOf<Extract<RpcMethod, `webhooks.${string}`>> {
  return {
    "webhooks.deliveries": async ({ limit = DEFAULT_LIMIT }) => {
      const inputs = await parts.store.listRecentInputs(LOOKED_AT);
      const found = inputs.flatMap((input) => {
        const webhook = EVENT.exec(input.message.eventId)?.groups?.["webhook"];
        return webhook === undefined || input.admission.kind !== "hook" ? [] : [{ webhook, input }];
      });
      return { deliveries: await Promise.all(found.slice(0, limit).map(async (one) => toDelivery(one, parts))) };
    },
  };
}

async function toDelivery(
  { webhook, input: { message, receivedAtMs, state, admission, turnId } }: { readonly webhook: string; readonly input: InputRecord },
  { store, hideSecrets }: Pick<Engine["parts"], "store" | "hideSecrets">,
): Promise<WebhookDelivery> {
  const { sessionKey } = admission;
  const session = sessionKey === undefined ? undefined : await store.readSession(sessionKey);
  const sent = message.untrusted?.map(({ text }) => text).join("\n");
  const answer = state.type === "answered" && turnId !== undefined ? await answerOf(turnId, store) : undefined;
  const excerptOf = (text: string | undefined): string | undefined =>
    text === undefined || text === "" ? undefined : cutText(hideSecrets(text), MAX_EXCERPT_CHARS, "…");
  return {
    webhook,
    receivedAtMs,
    state: STATES[state.type],
    ...withoutUndefined({
      reason: "reason" in state ? state.reason : undefined,
      sent: excerptOf(sent),
      answer: excerptOf(answer),
      sessionKey: session === undefined ? undefined : sessionKey,
      turnId,
    }),
  };
}

/** The last words of a turn, while its conversation is there and has few newer ones. */
async function answerOf(turnId: string, store: Engine["parts"]["store"]): Promise<string | undefined> {
  const turn = await store.readTurn(turnId);
  if (turn === undefined) return undefined;
  const { items } = await store.readTranscript(turn.sessionId, { limit: ANSWER_ENTRIES });
  const texts = items.flatMap((entry) =>
    entry.turnId === turnId && entry.type === "message" && entry.message.role === "assistant" ? [textOf(entry.message)] : [],
  );
  return texts.findLast((text) => text !== "");
}

function textOf({ content }: AssistantMessage): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
