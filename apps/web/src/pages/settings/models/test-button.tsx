import type { ModelTest } from "@factotum/protocol";
import { useRpcMutation } from "../../../data/use-rpc.ts";
import { formatDuration, formatExactDollars } from "../../../app/locale.ts";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { t } from "../../../i18n/t.ts";
import { Button } from "../../../ui/button.tsx";
import styles from "./models.module.css";

/** A model is asked for a minute at most. */
const TEST_TIMEOUT_MS = 70_000;

/** Asks a model one short question, and says how long it took and what it cost, or why there is no answer. */
export function TestButton({ model }: { readonly model: string }): React.JSX.Element {
  const test = useRpcMutation("models.test", { timeoutMs: TEST_TIMEOUT_MS });
  return (
    <span className={styles["test"]}>
      <Button busy={test.isPending} onClick={() => test.mutate({ model })}>
        {test.isPending ? t("Testing…") : t("Test")} <span className="sr-only">{model}</span>
      </Button>
      <output className={test.error !== null || (test.data !== undefined && test.data.type !== "works") ? "problem" : undefined}>
        {test.error === null ? (test.data === undefined ? null : resultText(test.data)) : test.error.message}
      </output>
    </span>
  );
}

function resultText({ type, message, firstTokenMs, durationMs, usage }: ModelTest): string {
  if (type !== "works" || durationMs === undefined) return gatewayText(message);
  const cost = usage?.costUsd === undefined ? t("price unknown") : formatExactDollars(usage.costUsd);
  return t("Works: first word after {first}, done after {all}, {tokens, plural, one {# token} other {# tokens}}, {cost}.", {
    first: formatDuration(firstTokenMs ?? durationMs),
    all: formatDuration(durationMs),
    tokens: usage?.total ?? 0,
    cost,
  });
}
