import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useToasts } from "../../ui/toasts.tsx";
import styles from "./memory.module.css";
import { NoteEditor } from "./note-editor.tsx";
import type { NoteProps } from "./note-props.ts";
import { NoteSources } from "./note-sources.tsx";
import { NoteVersions } from "./note-versions.tsx";

/** A note: its text, where it comes from, and what it held before. */
export function NoteView(props: NoteProps): React.JSX.Element {
  const { agent, path } = props;
  const [tab, setTab] = useState<"text" | "sources" | "versions">("text");
  const note = useRpc("memory.read", { path, ...(agent !== undefined && { agentId: agent }) });
  const isGone = note.error?.code === "not-found";
  return (
    <>
      <p className={styles["bar"]}>
        <Link to="/memory" search={agent === undefined ? {} : { agent }} className={styles["back"]}>
          {t("All notes")}
        </Link>
        {note.data === undefined || isGone ? null : <RemoveButton {...props} baseHash={note.data.baseHash} />}
      </p>
      {isGone ? (
        <>
          <p>{t("This note is gone. What it held can be restored.")}</p>
          <NoteVersions {...props} present="" />
        </>
      ) : (
        <Loaded query={note}>
          {(read) => (
            <Tabs
              label={path}
              tabs={[
                { id: "text", label: t("Text") },
                { id: "sources", label: t("Where it comes from") },
                { id: "versions", label: t("Versions") },
              ]}
              selected={tab}
              onSelect={setTab}
            >
              <div hidden={tab !== "text"}>
                <NoteEditor note={read} />
              </div>
              {tab === "sources" ? <NoteSources {...props} /> : null}
              {tab === "versions" ? <NoteVersions {...props} present={read.text} /> : null}
            </Tabs>
          )}
        </Loaded>
      )}
    </>
  );
}

/** Removes the note at once: its text is a version, and comes back from there. */
function RemoveButton({ agent, path, baseHash }: NoteProps & { readonly baseHash: string }): React.JSX.Element {
  const removing = useAction("memory.remove");
  const looking = useAction("memory.versions");
  const restoring = useAction("memory.restore");
  const navigate = useNavigate();
  const toasts = useToasts();
  const of = agent === undefined ? {} : { agentId: agent };
  const undo = async (): Promise<void> => {
    const newest = (await looking.run({ ...of, path }))?.versions[0];
    if (newest !== undefined) await restoring.run({ ...of, path, id: newest.id });
  };
  const remove = async (): Promise<void> => {
    if ((await removing.run({ ...of, path, baseHash })) === undefined) return;
    await navigate({ to: "/memory", search: agent === undefined ? {} : { agent } });
    toasts.show({ text: t("{path} is removed.", { path }), action: { label: t("Undo"), run: () => void undo() } });
  };
  return (
    <Button busy={removing.isBusy} onClick={() => void remove()}>
      {t("Remove the note")}
    </Button>
  );
}
