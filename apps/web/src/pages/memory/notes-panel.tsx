import type { MemoryFile } from "@factotum/protocol";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useAction } from "../../data/use-action.ts";
import { useRpc } from "../../data/use-rpc.ts";
import { t } from "../../i18n/t.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatSize } from "../../ui/format-size.ts";
import { Field } from "../../ui/field.tsx";
import { Moment } from "../../ui/moment.tsx";
import { SearchResults } from "./search-results.tsx";
import styles from "./memory.module.css";

/** Notes that are shown at once: years of daily notes are thousands. */
const PART = 200;

interface NotesPanelProps {
  /** Absent: the default agent. */
  readonly agent: string | undefined;
}

/** The notes, with a search in them. */
export function NotesPanel({ agent }: NotesPanelProps): React.JSX.Element {
  const [typed, setTyped] = useState("");
  const [query, setQuery] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setQuery(typed.trim());
  };
  return (
    <>
      <search>
        <form className={styles["search"]} onSubmit={submit}>
          <input
            type="search"
            dir="auto"
            aria-label={t("Search in memory")}
            placeholder={t("Search as the assistant does")}
            maxLength={1000}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              if (target.value === "") setQuery("");
            }}
          />
          <Button type="submit">{t("Search")}</Button>
        </form>
      </search>
      {query === "" ? <NoteList agent={agent} /> : <SearchResults agent={agent} query={query} />}
    </>
  );
}

function NoteList({ agent }: NotesPanelProps): React.JSX.Element {
  const of = agent === undefined ? {} : { agentId: agent };
  const notes = useRpc("memory.list", of);
  const versions = useRpc("memory.versions", of);
  const [isNaming, setNaming] = useState(false);
  const [shown, setShown] = useState(PART);
  const add = (
    <Button variant="primary" onClick={() => setNaming(true)}>
      {t("New note")}
    </Button>
  );
  return (
    <>
      {isNaming ? <NewNote agent={agent} onClose={() => setNaming(false)} /> : null}
      <Loaded query={notes}>
        {({ notes: all }) => {
          const counts = new Map((versions.data?.notes ?? []).map(({ path, count }) => [path, count]));
          const present = new Set(all.map(({ path }) => path));
          const gone = [...counts.keys()].filter((path) => !present.has(path));
          return (
            <>
              {all.length === 0 ? (
                <EmptyState action={isNaming ? undefined : add}>
                  {t(
                    "The assistant has noted nothing yet. It writes down what lasts in MEMORY.md and the events of a day in memory. You can write notes, too.",
                  )}
                </EmptyState>
              ) : (
                <>
                  {isNaming ? null : <div className={styles["bar"]}>{add}</div>}
                  <ul className={styles["list"]}>
                    {inOrder(all)
                      .slice(0, shown)
                      .map((note) => (
                        <NoteItem key={note.path} agent={agent} note={note} versions={counts.get(note.path) ?? 0} />
                      ))}
                  </ul>
                  {all.length > shown ? <Button onClick={() => setShown(shown + PART)}>{t("Show more")}</Button> : null}
                </>
              )}
              {gone.length === 0 ? null : <GoneNotes agent={agent} paths={gone} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** What lasts first, then the newest. */
function inOrder(notes: readonly MemoryFile[]): readonly MemoryFile[] {
  const isDaily = ({ path }: MemoryFile): number => (path.includes("/") ? 1 : 0);
  return notes.toSorted((one, other) => isDaily(one) - isDaily(other) || other.changedAtMs - one.changedAtMs);
}

interface NoteItemProps extends NotesPanelProps {
  readonly note: MemoryFile;
  readonly versions: number;
}

function NoteItem({ agent, note: { path, sizeBytes, changedAtMs }, versions }: NoteItemProps): React.JSX.Element {
  return (
    <li className={`list-item ${styles["note"]}`}>
      <Link to="/memory" search={{ ...(agent !== undefined && { agent }), note: path }}>
        <bdi>{path}</bdi>
      </Link>
      <small>
        <Moment atMs={changedAtMs} />
        {" · "}
        {formatSize(sizeBytes)}
        {versions === 0 ? null : ` · ${t("{count, plural, one {# version} other {# versions}}", { count: versions })}`}
      </small>
    </li>
  );
}

function GoneNotes({ agent, paths }: NotesPanelProps & { readonly paths: readonly string[] }): React.JSX.Element {
  return (
    <details className={styles["more"]}>
      <summary>{t("Notes that are gone, with versions to restore")}</summary>
      <ul className={styles["list"]}>
        {paths.map((path) => (
          <li key={path} className={`list-item ${styles["note"]}`}>
            <Link to="/memory" search={{ ...(agent !== undefined && { agent }), note: path }}>
              <bdi>{path}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The name of a note becomes a Markdown file in the folder of notes. */
function NewNote({ agent, onClose }: NotesPanelProps & { readonly onClose: () => void }): React.JSX.Element {
  const [name, setName] = useState("");
  const navigate = useNavigate();
  const writing = useAction("memory.write");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const path = notePath(name);
    const params = { path, text: `# ${name.trim()}\n`, ...(agent !== undefined && { agentId: agent }) };
    if ((await writing.run(params)) === undefined) return;
    await navigate({ to: "/memory", search: { ...(agent !== undefined && { agent }), note: path } });
  };
  return (
    <form className={styles["naming"]} onSubmit={(event) => void submit(event)}>
      <Field label={t("Name of the note")} hint={t("Such as ideas or 2026-12-24. The assistant finds it by its text.")}>
        {(control) => (
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the field was asked for
          <input {...control} autoFocus required maxLength={100} dir="auto" value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <div className="actions">
        <Button type="submit" variant="primary" busy={writing.isBusy}>
          {t("Make the note")}
        </Button>
        <Button onClick={onClose}>{t("Cancel")}</Button>
      </div>
    </form>
  );
}

/** The file of a note with this name. */
export function notePath(name: string): string {
  const file = name.trim().replaceAll(/\s+/g, "-");
  if (file === "MEMORY.md" || file === "USER.md") return file;
  return `${file.startsWith("memory/") ? "" : "memory/"}${file}${file.endsWith(".md") ? "" : ".md"}`;
}
