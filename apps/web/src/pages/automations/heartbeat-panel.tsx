import type { HeartbeatSummary } from "@factotum/protocol";
import { useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Fact } from "../../ui/fact.tsx";
import { focusOnce } from "../../ui/focus-once.ts";
import { Moment } from "../../ui/moment.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./automations.module.css";
import { HeartbeatForm } from "./heartbeat-form.tsx";
import { RunState, RunTable } from "./run-table.tsx";

const RUNS = 20;

/** The heartbeat of each agent. */
export function HeartbeatPanel(): React.JSX.Element {
  const heartbeats = useRpc("heartbeat.list", {});
  return (
    <>
      <p className={styles["lead"]}>
        {t(
          "With a heartbeat the assistant wakes itself up, looks at what you have written into HEARTBEAT.md, and writes to you if there is something to say.",
        )}
      </p>
      <Loaded query={heartbeats}>
        {({ heartbeats: all }) => (
          <>
            {all.map((heartbeat) => (
              <HeartbeatCard key={heartbeat.agentId} heartbeat={heartbeat} />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function HeartbeatCard({ heartbeat: { agentId, on } }: { readonly heartbeat: HeartbeatSummary }): React.JSX.Element {
  const [view, setView] = useState<"shown" | "editing" | "edited">("shown");
  const name = useAppState((state) => state.agents.find(({ id }) => id === agentId)?.name ?? agentId);
  const toasts = useToasts();
  const running = useAction("heartbeat.run");
  const run = async (): Promise<void> => {
    if ((await running.run({ agentId })) !== undefined) toasts.show({ text: t("The heartbeat runs now.") });
  };
  const badge = on === undefined ? <Badge>{t("Off")}</Badge> : <Badge tone="good">{t("On")}</Badge>;
  return (
    <Card title={t("Heartbeat of {agent}", { agent: name })} actions={badge}>
      {view === "editing" ? (
        <HeartbeatForm agentId={agentId} onClose={() => setView("edited")} />
      ) : (
        <>
          {on === undefined ? <EmptyState>{t("It is off. Nothing runs, and nothing is charged.")}</EmptyState> : <HeartbeatFacts on={on} />}
          <div className="actions">
            {on === undefined ? null : (
              <Button busy={running.isBusy} onClick={() => void run()}>
                {t("Run now")}
              </Button>
            )}
            <Button
              ref={view === "edited" ? focusOnce : undefined}
              variant={on === undefined ? "primary" : "plain"}
              onClick={() => setView("editing")}
            >
              {on === undefined ? t("Switch on…") : t("Change")}
            </Button>
          </div>
        </>
      )}
      {on === undefined ? null : <HeartbeatRuns agentId={agentId} />}
    </Card>
  );
}

function HeartbeatFacts({ on }: { readonly on: NonNullable<HeartbeatSummary["on"]> }): React.JSX.Element {
  const { every, activeHours, target, nextAtMs, last, model, prompt } = on;
  return (
    <>
      <dl className="fact-columns">
        <Fact name={t("When")}>
          {t("Every {duration}", { duration: every })}
          {activeHours === undefined ? null : t(", from {start} to {end}", { start: activeHours.start, end: activeHours.end })}
        </Fact>
        <Fact name={t("Next run")}>{nextAtMs === undefined ? "–" : <Moment atMs={nextAtMs} />}</Fact>
        <Fact name={t("Last result")}>
          {last === undefined ? (
            t("It has not run yet.")
          ) : (
            <>
              <RunState run={last} /> <Moment atMs={last.slotMs} />
            </>
          )}
        </Fact>
        <Fact name={t("Reports to")}>
          <bdi>{targetText(target)}</bdi>
        </Fact>
        {model === undefined ? null : <Fact name={t("Model")}>{model}</Fact>}
      </dl>
      <details className={styles["more"]}>
        <summary>{t("What it is asked")}</summary>
        <p className="quoted" dir="auto">
          {prompt}
        </p>
      </details>
    </>
  );
}

/** Where the answer of a heartbeat goes, in words. */
function targetText(target: string): string {
  if (target === "owner") return t("the direct conversation in which you wrote last");
  if (target === "last") return t("the conversation of your newest message");
  return target === "none" ? t("nowhere") : target;
}

function HeartbeatRuns({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const runs = useRpc("heartbeat.runs", { agentId, limit: RUNS });
  return (
    <Loaded query={runs}>
      {({ runs: all }) => (all.length === 0 ? null : <RunTable caption={t("Runs of this heartbeat")} runs={all} />)}
    </Loaded>
  );
}
