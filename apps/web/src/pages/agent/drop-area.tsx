import { useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useSession } from "../../app/app-context.ts";
import { formatPercent } from "../../app/locale.ts";
import { RichText } from "../../i18n/rich-text.tsx";
import { t } from "../../i18n/t.ts";
import { queryKey } from "../../data/query-keys.ts";
import { Button } from "../../ui/button.tsx";
import { uploadKnowledge } from "./upload-knowledge.ts";
import styles from "./agent.module.css";

/** A file on its way, or what became of it. */
interface Sending {
  readonly id: number;
  readonly name: string;
  readonly share: number;
  readonly problem?: string;
  readonly addedAs?: string;
}

interface DropAreaProps {
  readonly agentId: string;
  readonly children: React.ReactNode;
}

/** Takes files that are dropped on it or chosen, and sends them one after another. */
export function DropArea({ agentId, children }: DropAreaProps): React.JSX.Element {
  const { sendings, add } = useSendings(agentId);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hasFiles = (event: React.DragEvent): boolean => event.dataTransfer.types.includes("Files");
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button below does the same by keyboard
    <div
      className={isOver ? `${styles["drop"]} ${styles["over"]}` : styles["drop"]}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        add([...event.dataTransfer.files]);
      }}
    >
      <div className={styles["bar"]}>
        <p className="note">{t("Drop files here, up to 20 MB each.")}</p>
        <Button variant="primary" onClick={() => input.current?.click()}>
          {t("Add files…")}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t("Add files")}
        onChange={(event) => {
          add([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <ul className={styles["sendings"]} aria-live="polite">
        {sendings.map((sending) => (
          <li key={sending.id} className={sending.problem === undefined ? undefined : "problem"}>
            <RichText id="<0>{name}</0>: {value}" values={{ name: sending.name, value: describe(sending) }} parts={[<bdi key="0" />]} />
          </li>
        ))}
      </ul>
      {children}
    </div>
  );
}

function describe({ name, share, problem, addedAs }: Sending): string {
  if (problem !== undefined) return problem;
  if (addedAs === undefined) return t("sending, {share}", { share: formatPercent(share) });
  return addedAs === name ? t("added") : t("added as {name}", { name: addedAs });
}

function useSendings(agentId: string): { readonly sendings: readonly Sending[]; readonly add: (files: readonly File[]) => void } {
  const { client } = useSession();
  const queries = useQueryClient();
  const [sendings, setSendings] = useState<readonly Sending[]>([]);
  const serial = useRef(0);
  const last = useRef<Promise<void>>(Promise.resolve());
  const change = (id: number, part: Partial<Sending>): void =>
    setSendings((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)));
  const send = async (file: File, id: number): Promise<void> => {
    const outcome = await uploadKnowledge(file, { client, agentId, onProgress: (share) => change(id, { share }) });
    change(id, outcome.type === "added" ? { addedAs: outcome.file.name } : { problem: outcome.message });
    await queries.invalidateQueries({ queryKey: queryKey("files.list", { agentId }) });
  };
  const add = (files: readonly File[]): void => {
    for (const file of files) {
      serial.current += 1;
      const id = serial.current;
      setSendings((all) => [...all, { id, name: file.name, share: 0 }]);
      last.current = last.current.then(() => send(file, id));
    }
  };
  return { sendings, add };
}
