import { withoutUndefined } from "@factotum/agent-contract";
import { StoreError } from "../../port/store-error.ts";
import type { TranscriptBody, TranscriptEntry } from "../../port/transcript-records.ts";
import { parseChecked } from "../values/checksum.ts";
import { numberOf, optionalNumber, optionalText, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { encodeId } from "../values/sequence-id.ts";
import type { Conversation } from "./conversation-table.ts";

type Replacement = Extract<TranscriptBody, { type: "replacement" }>;

/** The stored payload of a body, without the type, which has its own column. */
export function payloadOf(body: TranscriptBody): unknown {
  switch (body.type) {
    case "message":
    case "compaction":
      return body.message;
    case "replacement":
      return body.rerendered === true ? { messages: body.messages, rerendered: true } : body.messages;
    case "branch":
    case "ui-message":
    case "notice": {
      const { type: _type, ...payload } = body;
      return payload;
    }
  }
}

/** The entry of a row; throws `damaged` if its checksum does not match. */
export function toEntry(row: Row, conversation: Conversation): TranscriptEntry {
  const parent = numberOf(row, "parent");
  const type = textOf(row, "type");
  const timestampMs = numberOf(row, "at");
  const facts = [numberOf(row, "conversation"), parent, optionalNumber(row, "turn") ?? null, type, timestampMs];
  const payload = parseChecked<never>(row["payload"], row["sum"], facts);
  const turnId = optionalText(row, "turn_id");
  return {
    id: encodeId("e", numberOf(row, "id")),
    ...(parent === 0 ? {} : { parentId: encodeId("e", parent) }),
    sessionId: conversation.sessionId,
    ...withoutUndefined({ turnId }),
    timestampMs,
    ...toBody(type, payload),
  };
}

/** The checksum proves that the payload was made by `payloadOf` from a body of this type. */
function toBody(type: string, payload: never): TranscriptBody {
  switch (type) {
    case "message":
    case "compaction":
      return { type, message: payload };
    case "replacement":
      return Array.isArray(payload) ? { type, messages: payload } : { type, ...(payload as Omit<Replacement, "type">) };
    case "notice": {
      const { level, text, blocks, key, tellsModel, tainted } = payload as Extract<TranscriptBody, { type: "notice" }>;
      return { type, level, text, ...withoutUndefined({ blocks, key, tellsModel, tainted }) };
    }
    case "branch":
      return { type, ...(payload as Omit<Extract<TranscriptBody, { type: "branch" }>, "type">) };
    case "ui-message":
      return { type, ...(payload as Omit<Extract<TranscriptBody, { type: "ui-message" }>, "type">) };
    default:
      throw new StoreError("damaged", `No entry can be ${JSON.stringify(type)}.`);
  }
}
