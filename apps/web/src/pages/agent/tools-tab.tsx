import type { ToolRule, ToolState, ToolSummary } from "@factotum/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { msg, t } from "../../i18n/t.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Field } from "../../ui/field.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import styles from "./agent.module.css";

const STATES: Readonly<Record<ToolState, readonly [Tone, string]>> = {
  available: ["good", msg("Allowed")],
  asks: ["neutral", msg("Asks you")],
  refused: ["warning", msg("Refused")],
  removed: ["bad", msg("Denied")],
  missing: ["neutral", msg("Not loaded")],
};

/** What the agent may use in its main conversation, with the rule that decides on each tool. */
export function ToolsTab({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const tools = useRpc("tools.list", { agentId });
  const [words, setWords] = useState("");
  const [asked, setAsked] = useState<string>();
  const columns: readonly Column<ToolSummary>[] = [
    { id: "name", title: t("Tool"), cell: ({ name }) => <bdi>{name}</bdi>, sortBy: ({ name }) => name },
    { id: "state", title: t("State"), cell: ({ state }) => <State state={state} />, sortBy: ({ state }) => t(STATES[state][1]) },
    {
      id: "reason",
      title: t("Rule"),
      cell: ({ name, reason = "" }) => (
        <>
          <span dir="auto">{gatewayText(reason)}</span>{" "}
          <Button variant="text" aria-label={`${t("Why?")} ${name}`} onClick={() => setAsked(name)}>
            {t("Why?")}
          </Button>
        </>
      ),
    },
  ];
  const isWanted = ({ name }: ToolSummary): boolean => name.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <Loaded query={tools}>
      {({ tools: all }) => (
        <>
          <div className={styles["choice"]}>
            <Field label={t("Find a tool")}>
              {(control) => <input {...control} type="search" value={words} onChange={(event) => setWords(event.target.value)} />}
            </Field>
          </div>
          {all.some(isWanted) ? (
            <Table caption={t("Tools")} columns={columns} rows={all.filter(isWanted)} keyOf={({ name }) => name} />
          ) : (
            <EmptyState>{t("No tool has these letters in its name.")}</EmptyState>
          )}
          <p className="note">{t("This is what you may use in the agent's main conversation. Other people may use less.")}</p>
          {asked === undefined ? null : <WhyDialog agentId={agentId} tool={asked} onClose={() => setAsked(undefined)} />}
        </>
      )}
    </Loaded>
  );
}

function State({ state }: { readonly state: ToolState }): React.JSX.Element {
  const [tone, words] = STATES[state];
  return <Badge tone={tone}>{t(words)}</Badge>;
}

/** Every layer of the policy, and what it says of a tool. */
function WhyDialog({
  agentId,
  tool,
  onClose,
}: {
  readonly agentId: string;
  readonly tool: string;
  readonly onClose: () => void;
}): React.JSX.Element {
  const found = useRpc("tools.explain", { agentId, tool });
  return (
    <Dialog title={t("Why {tool}?", { tool })} onClose={onClose}>
      <Loaded query={found}>
        {({ tool: { state, reason }, rules }) => (
          <>
            <p>
              <State state={state} /> {reason === undefined ? null : <span dir="auto">{gatewayText(reason)}</span>}
            </p>
            <ol className={styles["rules"]} aria-label={t("Rules")}>
              {rules.map((rule) => (
                <li key={`${rule.layer} ${rule.key}`}>
                  <RuleKey path={rule.key} />
                  <span>{describeRule(rule)}</span>
                  <Badge tone={rule.admits ? "good" : "bad"}>{rule.admits ? t("allows") : t("denies")}</Badge>
                </li>
              ))}
            </ol>
            <p className="note">{t("A tool is allowed if every rule allows it. The name of a rule leads to its setting.")}</p>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** The key of a rule, which leads to its setting; some rules are no single key. */
function RuleKey({ path }: { readonly path: string }): React.JSX.Element {
  const [group = ""] = /^\w+(?=\.|$)/.exec(path) ?? [];
  if (group === "" || path.includes(" ")) return <span>{gatewayText(path)}</span>;
  return (
    <Link to="/settings/{-$section}" params={{ section: "configuration" }} search={{ group, key: path }}>
      <code dir="ltr">{path}</code>
    </Link>
  );
}

function describeRule({ by, entry = "" }: ToolRule): string {
  switch (by) {
    case "deny":
      return t("“{entry}” is in its list of denied tools", { entry });
    case "allow":
      return entry === "" ? t("it is not in its list of allowed tools") : t("“{entry}” is in its list of allowed tools", { entry });
    case "profile":
      return t("by the profile {entry}", { entry });
    case "mode":
      return t("by the mode of commands: {entry}", { entry });
    case "nothing":
      return t("says nothing about it");
  }
}
