import type { MemoryForgetReport, MemoryForgetScope, SessionSummary } from "@factotum/protocol";
import { type FormEvent, useState } from "react";
import { useAppState } from "../../app/app-context.ts";
import { mainKeyOf } from "../../app/app-state.ts";
import { formatWhole } from "../../app/locale.ts";
import { sessionTitle } from "../../app/session-title.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { RichText } from "../../i18n/rich-text.tsx";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/field.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { forgetScope, type ForgetDraft, NEW_DRAFT } from "./forget-scope.ts";
import { kindText } from "./memory-texts.ts";
import styles from "./memory.module.css";

/** The whole database is looked at. */
const PLAN_MS = 300_000;
/** Conversations of all agents that can be chosen, the newest first. */
const MAX_SESSIONS = 200;

/** Forgets for good, after a look at what would go. */
export function ForgetPanel(): React.JSX.Element {
  const [draft, setDraft] = useState<ForgetDraft>(NEW_DRAFT);
  const [planned, setPlanned] = useState<{ readonly scope: MemoryForgetScope; readonly report: MemoryForgetReport }>();
  const planning = useAction("memory.forget", { timeoutMs: PLAN_MS });
  const scope = forgetScope(draft);
  const change = (part: Partial<ForgetDraft>): void => {
    setDraft((before) => ({ ...before, ...part }));
    setPlanned(undefined);
  };
  const plan = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (scope === undefined || planning.isBusy) return;
    const report = await planning.run({ scope, dryRun: true });
    if (report !== undefined) setPlanned({ scope, report });
  };
  return (
    <>
      <Card title={t("What is to be forgotten?")}>
        <p className={styles["lead"]}>
          {t(
            "It goes everywhere: messages, answers, notes, files, and what was made of them. First you see what would go; nothing is changed by that.",
          )}
        </p>
        <form className={styles["form"]} onSubmit={(event) => void plan(event)}>
          <ScopeFields draft={draft} onChange={change} />
          <div className="actions">
            <Button
              type="submit"
              variant={planned === undefined ? "primary" : "plain"}
              busy={planning.isBusy}
              disabled={scope === undefined}
            >
              {t("Show what would go")}
            </Button>
          </div>
        </form>
      </Card>
      {planned === undefined ? null : <PlanCard {...planned} onDone={() => setPlanned(undefined)} />}
    </>
  );
}

interface ScopeFieldsProps {
  readonly draft: ForgetDraft;
  readonly onChange: (change: Partial<ForgetDraft>) => void;
}

function ScopeFields({ draft: { by, text, from, until, sessionKey }, onChange }: ScopeFieldsProps): React.JSX.Element {
  return (
    <>
      <Segmented
        label={t("Forget")}
        choices={[
          { value: "search", label: t("A text") },
          { value: "span", label: t("A time") },
          { value: "session", label: t("A conversation") },
        ]}
        value={by}
        onChange={(next) => onChange({ by: next })}
      />
      {by === "search" ? (
        <Field label={t("Text")} hint={t("Every exchange in which it was said, and every line of a note with it.")}>
          {(control) => (
            <input {...control} dir="auto" maxLength={1000} value={text} onChange={({ target }) => onChange({ text: target.value })} />
          )}
        </Field>
      ) : null}
      {by === "span" ? (
        <div className="field-columns">
          <Field label={t("From")} hint={t("Every exchange of this time, in all conversations.")}>
            {(control) => (
              <input {...control} type="datetime-local" value={from} onChange={({ target }) => onChange({ from: target.value })} />
            )}
          </Field>
          <Field label={t("Until")} hint={t("Empty: until now.")}>
            {(control) => (
              <input {...control} type="datetime-local" value={until} onChange={({ target }) => onChange({ until: target.value })} />
            )}
          </Field>
        </div>
      ) : null}
      {by === "session" ? <SessionField sessionKey={sessionKey} onChange={(next) => onChange({ sessionKey: next })} /> : null}
    </>
  );
}

/** The conversations of the gateway, and not those that the list next to the chat has loaded. */
function SessionField({
  sessionKey,
  onChange,
}: {
  readonly sessionKey: string;
  readonly onChange: (key: string) => void;
}): React.JSX.Element {
  const sessions = useRpc("sessions.list", { exceptSubagents: true, limit: MAX_SESSIONS });
  const agents = useAppState((state) => state.agents);
  return (
    <Loaded query={sessions}>
      {({ sessions: all }) => (
        <Field
          label={t("Conversation")}
          hint={t("Everything of it, with the conversations that it has begun and the jobs that were made in it.")}
        >
          {(control) => (
            <select {...control} value={sessionKey} onChange={({ target }) => onChange(target.value)}>
              <option value="">{t("Choose one")}</option>
              {agents.length < 2 ? (
                <SessionOptions sessions={all} />
              ) : (
                agents.map(({ id, name }) => (
                  <optgroup key={id} label={name}>
                    <SessionOptions sessions={all.filter(({ agentId }) => agentId === id)} />
                  </optgroup>
                ))
              )}
            </select>
          )}
        </Field>
      )}
    </Loaded>
  );
}

function SessionOptions({ sessions }: { readonly sessions: readonly SessionSummary[] }): React.JSX.Element {
  const agents = useAppState((state) => state.agents);
  return (
    <>
      {sessions.map((summary) => (
        <option key={summary.key} value={summary.key}>
          {sessionTitle(summary.key, summary, mainKeyOf({ agents }, summary.agentId))}
        </option>
      ))}
    </>
  );
}

interface PlanCardProps {
  readonly scope: MemoryForgetScope;
  readonly report: MemoryForgetReport;
  readonly onDone: () => void;
}

function PlanCard({ scope, report: { type, counts, notes, untouched }, onDone }: PlanCardProps): React.JSX.Element {
  const [step, setStep] = useState<"shown" | "asking" | "decided">("shown");
  const forgetting = useAction("memory.forget", { timeoutMs: PLAN_MS });
  const forget = async (): Promise<void> => {
    const done = await forgetting.run({ scope });
    if (done?.type === "nothing") onDone();
    else if (done !== undefined) setStep("decided");
  };
  if (type === "nothing")
    return (
      <Card title={t("What would go")}>
        <EmptyState>{t("There is nothing of it.")}</EmptyState>
      </Card>
    );
  if (step === "decided")
    return (
      <Card title={t("It is decided")}>
        <output>
          {t("The gateway restarts and forgets it. This page connects again by itself. A backup that is restored loses it again.")}
        </output>
      </Card>
    );
  return (
    <Card title={t("What would go")}>
      <ul className={styles["counts"]}>
        {Object.entries(counts).map(([kind, count]) => (
          <li key={kind}>
            <RichText id="{name}: <0>{value}</0>" values={{ name: kindText(kind), value: formatWhole(count) }} parts={[<b key="0" />]} />
          </li>
        ))}
        {notes.map(({ path, lines, removed }) => (
          <li key={path}>
            <RichText
              id="<0>{name}</0>: {value}"
              values={{
                name: path,
                value: removed ? t("the whole note") : t("{count, plural, one {# line} other {# lines}}", { count: lines }),
              }}
              parts={[<bdi key="0" />]}
            />
          </li>
        ))}
      </ul>
      <p className={styles["lead"]}>{t("Summaries of conversations that lose a part go with it, and all logs.")}</p>
      {untouched.length === 0 ? null : (
        <>
          <p>{t("These copies are not touched. Remove them yourself if they hold what you want to forget:")}</p>
          <ul className={styles["counts"]}>
            {untouched.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <div className="actions">
        <Button variant="danger" busy={forgetting.isBusy} onClick={() => setStep("asking")}>
          {t("Forget all of this…")}
        </Button>
      </div>
      {step === "asking" ? (
        <ConfirmDialog
          title={t("Forget all of this?")}
          text={t(
            "It cannot be undone. The gateway restarts for it: what is running now is interrupted, and continues afterwards where it can.",
          )}
          yes={t("Forget and restart")}
          danger
          onConfirm={() => void forget()}
          onClose={() => setStep((now) => (now === "asking" ? "shown" : now))}
        />
      ) : null}
    </Card>
  );
}
