import type { SkillDetails } from "@factotum/protocol";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { t } from "../../i18n/t.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { FindingList } from "../../plugin-install/finding-list.tsx";
import styles from "./agent.module.css";

interface SkillDialogProps {
  readonly agentId: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** What a skill says of itself, what it needs, what the scan finds in it, and its text. */
export function SkillDialog({ agentId, name, onClose }: SkillDialogProps): React.JSX.Element {
  const skill = useRpc("skills.show", { agentId, name });
  return (
    <Dialog title={name} onClose={onClose}>
      <Loaded query={skill}>
        {({ skill: found }) => (
          <div className={styles["plan"]}>
            <dl className={styles["facts"]}>
              {factsOf(found).map(([term, value]) => (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd dir="auto">{value}</dd>
                </div>
              ))}
            </dl>
            {found.warnings.map((warning) => (
              <p key={warning} className="note" dir="auto">
                {gatewayText(warning)}
              </p>
            ))}
            <FindingList findings={found.findings} />
            <ScrollBox className={styles["text"] ?? ""} label={t("Text of the skill")}>
              <pre dir="auto">{found.text}</pre>
            </ScrollBox>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

function factsOf(skill: SkillDetails): readonly (readonly [term: string, value: string])[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    [t("Version"), skill.version],
    [t("File"), skill.path],
    [t("Needs"), skill.needs.map(gatewayText).join(", ")],
    [t("Made for"), skill.compatibility],
    [t("Tools"), skill.tools.join(", ")],
    [t("Settings"), skill.settings.join(", ")],
    [t("License"), skill.license],
    [t("Installed from"), skill.installedFrom],
  ];
  return facts.flatMap(([term, value]) => (value === undefined || value === "" ? [] : [[term, value] as const]));
}
