import type { SkillSummary } from "@factotum/protocol";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/field.tsx";
import { InstallSkill } from "./install-skill.tsx";
import { SkillDialog } from "./skill-dialog.tsx";
import styles from "./agent.module.css";

const STATES: Readonly<Record<SkillSummary["state"], readonly [Tone, string]>> = {
  ready: ["good", msg("Ready")],
  people: ["good", msg("By command only")],
  model: ["good", msg("By the model only")],
  off: ["neutral", msg("Switched off")],
  "left-out": ["warning", msg("Lacks something")],
};

const SOURCES: Readonly<Record<string, string>> = {
  workspace: msg("of the workspace"),
  agent: msg("of this agent"),
  personal: msg("your own"),
  managed: msg("installed"),
  extra: msg("of a folder or a package"),
  bundled: msg("built in"),
};

/** What the agent has learnt to do, and what it could if something were there. */
export function SkillsTab({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const skills = useRpc("skills.list", { agentId });
  const [words, setWords] = useState("");
  const [isInstalling, setInstalling] = useState(false);
  const [shown, setShown] = useState<string>();
  const wanted = words.trim().toLowerCase();
  return (
    <>
      <div className={styles["bar"]}>
        <p className="note">{t("Instructions that the agent reads when a task calls for them.")}</p>
        <Button variant="primary" onClick={() => setInstalling(true)}>
          {t("Install…")}
        </Button>
      </div>
      <Loaded query={skills}>
        {({ skills: all, problems }) => {
          const found = all.filter(({ name, description }) =>
            `${name} ${description} ${gatewayText(description)}`.toLowerCase().includes(wanted),
          );
          return (
            <>
              <div className={styles["choice"]}>
                <Field label={t("Find a skill")}>
                  {(control) => <input {...control} type="search" value={words} onChange={(event) => setWords(event.target.value)} />}
                </Field>
              </div>
              {found.length === 0 ? <EmptyState>{t("No skill has these words.")}</EmptyState> : null}
              <ul className={styles["items"]} aria-label={t("Skills")}>
                {found.map((skill) => (
                  <li key={skill.name}>
                    <SkillItem skill={skill} onShow={() => setShown(skill.name)} />
                  </li>
                ))}
              </ul>
              {problems.map(({ path, message }) => (
                <p key={`${path} ${message}`} className="problem" dir="auto">
                  {t("{name}: {value}", { name: path, value: gatewayText(message) })}
                </p>
              ))}
            </>
          );
        }}
      </Loaded>
      {isInstalling ? <InstallSkill onClose={() => setInstalling(false)} /> : null}
      {shown === undefined ? null : <SkillDialog agentId={agentId} name={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function SkillItem({ skill, onShow }: { readonly skill: SkillSummary; readonly onShow: () => void }): React.JSX.Element {
  const { name, description, source, state, reason, isEnabled } = skill;
  const [isAsking, setAsking] = useState(false);
  const enable = useAction("skills.enable");
  const disable = useAction("skills.disable");
  const remove = useAction("skills.remove");
  const [tone, words] = STATES[state];
  return (
    <article className="list-item">
      <div className={styles["bar"]}>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        <Badge tone={tone}>{t(words)}</Badge>
        <div className="actions">
          <Button onClick={onShow}>
            {t("Details")}
            <span className="sr-only"> {name}</span>
          </Button>
          <Button busy={enable.isBusy || disable.isBusy} onClick={() => void (isEnabled ? disable : enable).run({ name })}>
            {isEnabled ? t("Switch off") : t("Switch on")}
            <span className="sr-only"> {name}</span>
          </Button>
          {source === "managed" ? (
            <Button busy={remove.isBusy} onClick={() => setAsking(true)}>
              {t("Remove…")}
              <span className="sr-only"> {name}</span>
            </Button>
          ) : null}
        </div>
      </div>
      <p dir="auto">{gatewayText(description)}</p>
      <p className="note">
        {t(SOURCES[source] ?? source)}
        {reason === undefined ? null : ` · ${gatewayText(reason)}`}
      </p>
      {isAsking ? (
        <ConfirmDialog
          title={t("Remove {name}?", { name })}
          text={t("The skill is deleted. You can install it again from its source.")}
          yes={t("Remove")}
          danger
          onConfirm={() => void remove.run({ name })}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </article>
  );
}
