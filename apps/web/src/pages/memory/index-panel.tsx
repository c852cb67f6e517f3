import type { MemoryState } from "@factotum/protocol";
import { formatMoment, formatWhole } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatSize } from "../../ui/format-size.ts";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./memory.module.css";

/** A whole index is read again. */
const INDEX_MS = 120_000;

/** What is indexed, and what is not. */
export function IndexPanel({ agent }: { readonly agent: string | undefined }): React.JSX.Element {
  const of = agent === undefined ? {} : { agentId: agent };
  const status = useRpc("memory.status", of);
  const indexing = useAction("memory.index", { timeoutMs: INDEX_MS });
  const toasts = useToasts();
  const index = async (rebuild: boolean): Promise<void> => {
    const done = await indexing.run({ ...of, rebuild });
    if (done !== undefined)
      toasts.show({
        text: t("{count, plural, =0 {Nothing has changed.} one {# file has changed.} other {# files have changed.}}", {
          count: done.changed,
        }),
      });
  };
  return (
    <Loaded query={status}>
      {(state) => (
        <Card
          title={t("Index")}
          actions={state.works ? <Badge tone="good">{t("Works")}</Badge> : <Badge tone="bad">{t("Does not work")}</Badge>}
        >
          <p className={styles["lead"]}>
            {t("The assistant finds notes and earlier conversations by this index. It is brought up to date before each search.")}
          </p>
          <Facts state={state} />
          {state.problems.map((problem) => (
            <p key={problem} className="problem" dir="auto">
              {gatewayText(problem)}
            </p>
          ))}
          <div className="actions">
            <Button busy={indexing.isBusy} onClick={() => void index(false)}>
              {t("Update now")}
            </Button>
            <Button busy={indexing.isBusy} onClick={() => void index(true)}>
              {t("Build it again")}
            </Button>
          </div>
        </Card>
      )}
    </Loaded>
  );
}

function Facts({ state }: { readonly state: MemoryState }): React.JSX.Element {
  const { provider, files, conversations, chunks, sizeBytes, indexedAtMs, embedded } = state;
  const rows: readonly (readonly [string, string])[] = [
    [t("Provider"), provider],
    [t("Notes"), formatWhole(files)],
    ...(conversations === undefined ? [] : [[t("Conversations"), formatWhole(conversations)] as const]),
    [t("Passages"), formatWhole(chunks)],
    ...(sizeBytes === undefined ? [] : [[t("Size"), formatSize(sizeBytes)] as const]),
    [t("Changed"), indexedAtMs === undefined ? t("not built yet") : formatMoment(indexedAtMs)],
    [
      t("Compared by meaning"),
      embedded === undefined
        ? t("no, by words alone")
        : t("{count} passages, with {model}", { count: formatWhole(embedded.chunks), model: embedded.model }),
    ],
  ];
  return (
    <dl className="fact-columns">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
