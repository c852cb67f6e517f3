import type { ConfigPatchResult, ConfigView } from "@factotum/protocol";
import { lazy, Suspense, useEffect, useRef } from "react";
import { useRpcMutation } from "../../../data/use-rpc.ts";
import type { RpcError } from "../../../gateway-client/rpc-error.ts";
import { gatewayText } from "../../../i18n/gateway-text.ts";
import { sentenceSpace } from "../../../i18n/sentence-space.ts";
import { t } from "../../../i18n/t.ts";
import { Button } from "../../../ui/button.tsx";
import type { FormProblem } from "../../../ui/schema-form/form-facts.ts";
import { useToasts } from "../../../ui/toasts.tsx";
import { changeOf, type ConfigDraft, rebased, useConfigDraft } from "./config-draft.ts";
import { ProblemList } from "./problem-list.tsx";
import styles from "./configuration.module.css";

/** With the program that compares texts. */
const ChangeReview = lazy(async () => ({ default: (await import("./change-review.tsx")).ChangeReview }));
const ChangeConflict = lazy(async () => ({ default: (await import("./change-conflict.tsx")).ChangeConflict }));

interface DraftBarProps {
  /** The file as it is now. */
  readonly view: ConfigView;
  readonly refused: readonly FormProblem[];
  readonly onRefused: (problems: readonly FormProblem[]) => void;
  /** What would be saved, once it was asked for. */
  readonly plan: ConfigPatchResult | undefined;
  readonly onPlan: (plan: ConfigPatchResult | undefined) => void;
}

/** What is not saved: it is reviewed first, then saved for the file that it was made for, or discarded. */
export function DraftBar({ view, refused, onRefused, plan, onPlan: setPlan }: DraftBarProps): React.JSX.Element | null {
  const [draft, setDraft] = useConfigDraft();
  const toasts = useToasts();
  const patch = useRpcMutation("config.patch");
  const isStale = draft !== undefined && draft.base.baseHash !== view.baseHash;
  const keep = (): void => {
    setPlan(undefined);
    if (draft !== undefined) setDraft(rebased(draft, view));
  };
  const end = (): void => {
    setDraft(undefined);
    setPlan(undefined);
    onRefused([]);
  };
  const fail = ({ message, problems }: RpcError): void => {
    setPlan(undefined);
    // If the file has changed, it comes with the next answer; until then the text says what has happened.
    onRefused(problems ?? [{ path: "", message }]);
  };
  const send = (change: ConfigDraft, dryRun: boolean, done: (result: ConfigPatchResult) => void): void => {
    onRefused([]);
    patch.mutate({ baseHash: change.base.baseHash, ...changeOf(change), dryRun }, { onSuccess: done, onError: fail });
  };
  const saved = (result: ConfigPatchResult): void => {
    end();
    if (result.type !== "kept") toasts.show({ text: t("The configuration is saved and in use.") });
    else
      toasts.show({
        kind: "error",
        text: [t("It is saved, but cannot be used:"), ...result.problems.map(gatewayText)].join(sentenceSpace()),
      });
  };
  if (draft === undefined) return null;
  return (
    <>
      <Suspense fallback={null}>
        {isStale ? (
          <ChangeConflict draft={draft} view={view} onKeep={keep} onDiscard={end} />
        ) : plan === undefined ? null : (
          <ChangeReview
            base={draft.base}
            plan={plan}
            isBusy={patch.isPending}
            onSave={() => send(draft, false, saved)}
            onBack={() => setPlan(undefined)}
          />
        )}
      </Suspense>
      {refused.length === 0 ? null : <Refusal problems={refused} />}
      {plan !== undefined || isStale ? null : (
        <div className={styles["bar"]}>
          <span>{t("Changes are not saved.")}</span>
          <Button onClick={end}>{t("Discard")}</Button>
          <Button
            variant="primary"
            busy={patch.isPending}
            onClick={() => send(draft, true, (result) => (result.type === "unchanged" ? end() : setPlan(result)))}
          >
            {t("Review changes")}
          </Button>
        </div>
      )}
    </>
  );
}

/** Why nothing was saved. It takes the focus: it may be far below what was edited. */
function Refusal({ problems }: { readonly problems: readonly FormProblem[] }): React.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [problems]);
  return (
    <div className={styles["refused"]} role="alert" tabIndex={-1} ref={box}>
      <p>{t("Nothing was saved:")}</p>
      <ProblemList problems={problems} />
    </div>
  );
}
