import { isJsonObject, type JsonObject, type JsonValue, showJson } from "../../json.ts";
import { messageBlocks, type RequestView } from "../request-view.ts";
import { type AnthropicRule, bodyRule } from "../rule.ts";
import { firstOf } from "./field-rules.ts";

interface Mark {
  readonly path: string;
  readonly value: JsonValue;
}

function markOf(path: string, value: JsonObject): Mark[] {
  const mark = value["cache_control"];
  return mark === undefined || mark === null ? [] : [{ path: `${path}.cache_control`, value: mark }];
}

/** In the order in which the vendor processes them: tools, system, messages; the automatic mark of the whole request last. */
function marksOf(view: RequestView): Mark[] {
  const places = [...view.tools, ...view.system, ...messageBlocks(view)];
  const automatic = view.body["cache_control"];
  return [
    ...places.flatMap(({ path, value }) => markOf(path, value)),
    ...(automatic === undefined || automatic === null ? [] : [{ path: "cache_control", value: automatic }]),
  ];
}

function ttlOf(mark: Mark): JsonValue {
  return isJsonObject(mark.value) ? (mark.value["ttl"] ?? "5m") : "5m";
}

/** Cache marks. */
export const CACHE_RULES: readonly AnthropicRule[] = [
  bodyRule({
    id: "cache-shape",
    description: "A mark is of type ephemeral and lives for 5m or 1h.",
    vendorText: "….cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    check: (view) =>
      firstOf(marksOf(view), (mark) => {
        const { path, value } = mark;
        if (!isJsonObject(value) || value["type"] !== "ephemeral") return `${path}: Input tag should be 'ephemeral'`;
        const extra = Object.keys(value).find((key) => key !== "type" && key !== "ttl");
        if (extra !== undefined) return `${path}.ephemeral.${extra}: Extra inputs are not permitted`;
        return ["5m", "1h"].includes(showJson(ttlOf(mark))) ? undefined : `${path}.ephemeral.ttl: Input should be '5m' or '1h'`;
      }),
  }),
  bodyRule({
    id: "cache-count",
    description: "A request has at most 4 marks.",
    vendorText: "A maximum of 4 blocks with cache_control may be provided. Found ….",
    check: (view) => {
      const { length } = marksOf(view);
      return length > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${length}.` : undefined;
    },
  }),
  bodyRule({
    id: "cache-empty-text",
    description: "No mark stands on an empty text block.",
    vendorText: "messages.….text: cache_control cannot be set for empty text blocks",
    check: (view) =>
      firstOf([...view.system, ...messageBlocks(view)], ({ path, type, value }) =>
        type === "text" && value["text"] === "" && value["cache_control"]
          ? `${path}.text: cache_control cannot be set for empty text blocks`
          : undefined,
      ),
  }),
  bodyRule({
    id: "cache-thinking",
    description: "No mark stands on a thinking block.",
    vendorText: "messages.….thinking.cache_control: Extra inputs are not permitted",
    check: (view) =>
      firstOf(messageBlocks(view), ({ path, type, value }) =>
        type.endsWith("thinking") && "cache_control" in value ? `${path}.${type}.cache_control: Extra inputs are not permitted` : undefined,
      ),
  }),
  bodyRule({
    id: "cache-ttl-order",
    description: "Marks of 1h stand before those of 5m.",
    vendorText: "….cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block …",
    check: (view) => {
      const marks = marksOf(view);
      const firstShort = marks.findIndex((mark) => ttlOf(mark) === "5m");
      const late = firstShort === -1 ? undefined : marks.slice(firstShort).find((mark) => ttlOf(mark) === "1h");
      return late === undefined
        ? undefined
        : `${late.path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. ` +
            "Note that blocks are processed in the following order: `tools`, `system`, `messages`.";
    },
  }),
];
