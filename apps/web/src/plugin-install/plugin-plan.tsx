import type { PluginPlan } from "@factotum/protocol";
import { t } from "../i18n/t.ts";
import { FindingList } from "./finding-list.tsx";
import { describePart, describePermission, describeReach } from "./plugin-words.ts";
import styles from "./plugin-install.module.css";

/** What a package would do, before it is accepted. */
export function PluginPlanView({ plan }: { readonly plan: PluginPlan }): React.JSX.Element {
  const { name, version, replaces, provides, added, servers, addedPermissions, hasPublicRoutes, unused, findings } = plan;
  const hasInstructions = provides.some(({ type }) => type === "skills" || type === "prompts");
  return (
    <div className={styles["plan"]}>
      <p>
        <strong>
          <bdi>{name}</bdi> {version}
        </strong>{" "}
        {replaces === undefined ? null : t("in place of {version}", { version: replaces })}
      </p>
      <List title={replaces === undefined || added.length === 0 ? t("It gives") : t("It newly gives")}>
        {(added.length === 0 ? provides : added).map(describePart)}
      </List>
      {addedPermissions.length === 0 ? (
        <p>{replaces === undefined ? t("It asks for no permission.") : t("It asks for no more permissions than before.")}</p>
      ) : (
        <List title={replaces === undefined ? t("It asks to") : t("It newly asks to")}>{addedPermissions.map(describePermission)}</List>
      )}
      {servers.length === 0 ? null : <List title={t("Its servers")}>{servers.map((server) => `${server.name}: ${server.runs}`)}</List>}
      {unused.length === 0 ? null : <List title={t("Not used of it")}>{unused}</List>}
      <p>{describeReach(plan)}</p>
      {hasPublicRoutes ? (
        <p className="problem">{t("Some of its addresses answer everyone who reaches the gateway, without a token.")}</p>
      ) : null}
      {hasInstructions || findings.length > 0 ? <FindingList findings={findings} /> : null}
    </div>
  );
}

function List({ title, children }: { readonly title: string; readonly children: readonly string[] }): React.JSX.Element {
  return (
    <div>
      <p className="note">{title}</p>
      <ul className={styles["bullets"]}>
        {children.map((line) => (
          <li key={line} dir="auto">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}
