import type { WorkspaceFile, WorkspaceFileName } from "@factotum/protocol";
import { useState } from "react";
import { formatCompact } from "../../app/locale.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRpc } from "../../data/use-rpc.ts";
import { sentenceSpace } from "../../i18n/sentence-space.ts";
import { msg, t } from "../../i18n/t.ts";
import { FileEditor } from "./file-editor.tsx";
import styles from "./agent.module.css";

/** What each file is for. */
const PURPOSES: Readonly<Record<WorkspaceFileName, string>> = {
  "SOUL.md": msg("Its character, its tone, its limits"),
  "IDENTITY.md": msg("Its name, and how it presents itself"),
  "USER.md": msg("Who you are, and what it should know about you"),
  "AGENTS.md": msg("How it works: what to write down, what to ask about"),
  "TOOLS.md": msg("Hints about your tools and machines"),
  "HEARTBEAT.md": msg("What it looks after on its own"),
  "BOOTSTRAP.md": msg("The first meeting; removed afterwards"),
};

/** The files that say who the agent is: a list, and the editor of one of them. */
export function PersonaTab({ agentId }: { readonly agentId: string }): React.JSX.Element {
  const files = useRpc("files.list", { agentId });
  const [path, setPath] = useState<WorkspaceFileName>("SOUL.md");
  return (
    <Loaded query={files}>
      {({ files: all, keepsVersions, workspace }) => (
        <div className={styles["split"]}>
          <nav aria-label={t("Files")}>
            <ul className={styles["files"]}>
              {all.filter(isShown).map((file) => (
                <li key={file.path}>
                  <button
                    type="button"
                    className={styles["file"]}
                    aria-current={file.path === path || undefined}
                    onClick={() => setPath(file.path)}
                  >
                    <strong>{file.path}</strong>
                    <span>{t(PURPOSES[file.path])}</span>
                    <small>{describeFile(file)}</small>
                  </button>
                </li>
              ))}
            </ul>
            <p className="note">
              {t("In every new conversation, {tokens} tokens together.", {
                tokens: formatCompact(all.reduce((sum, { promptTokens }) => sum + promptTokens, 0)),
              })}
              {sentenceSpace()}
              <bdi>{workspace}</bdi>
            </p>
          </nav>
          <FileEditor key={path} agentId={agentId} path={path} keepsVersions={keepsVersions} />
        </div>
      )}
    </Loaded>
  );
}

/** The first meeting is over where its file is gone. */
function isShown({ path, isThere }: WorkspaceFile): boolean {
  return isThere || path !== "BOOTSTRAP.md";
}

function describeFile({ isThere, sizeBytes, promptTokens, isCut }: WorkspaceFile): string {
  if (!isThere) return t("Not there yet");
  if (promptTokens === 0) return sizeBytes === 0 ? t("Empty") : t("In no prompt");
  const tokens = formatCompact(promptTokens);
  return isCut ? t("{tokens} tokens in every prompt, cut at its limit", { tokens }) : t("{tokens} tokens in every prompt", { tokens });
}
