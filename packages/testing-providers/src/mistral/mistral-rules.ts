import type { WireRule } from "../strict/rule.ts";
import { CONTENT_RULES } from "./content-rules.ts";
import type { MistralView } from "./mistral-view.ts";
import { ORDER_RULES } from "./order-rules.ts";
import { MISTRAL_SHAPE_RULES } from "./shape-rules.ts";
import { MISTRAL_TRANSPORT_RULES } from "./transport-rules.ts";

/** All rules, in the order in which a refusal is chosen. Order and contents follow the vendor's own open validator. */
export const MISTRAL_RULES: readonly WireRule<MistralView>[] = [
  ...MISTRAL_TRANSPORT_RULES,
  ...MISTRAL_SHAPE_RULES,
  ...ORDER_RULES,
  ...CONTENT_RULES,
];
