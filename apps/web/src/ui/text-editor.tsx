import { useEffect, useRef, useState } from "react";
import type { EditorHandle, openEditor } from "./open-editor.ts";
import styles from "./text-editor.module.css";

interface TextEditorProps {
  /** What is edited, for screen readers. */
  readonly label: string;
  readonly value: string;
  /** Called with the whole text after each change; without it the text can only be read. */
  readonly onChange?: ((value: string) => void) | undefined;
  /** Called for Ctrl-S or ⌘S. */
  readonly onSave?: (() => void) | undefined;
}

/** An editor for long texts with line numbers. Its program is loaded when the first one is shown; until then, and if it cannot be loaded, a plain field edits the text. */
export function TextEditor(props: TextEditorProps): React.JSX.Element {
  const { label, value, onChange } = props;
  const open = useOpenEditor();
  if (open !== undefined) return <LoadedEditor {...props} open={open} />;
  return (
    <textarea
      className={styles["plain"]}
      aria-label={label}
      dir="auto"
      spellCheck={false}
      value={value}
      readOnly={onChange === undefined}
      onChange={(event) => onChange?.(event.target.value)}
    />
  );
}

function LoadedEditor({ label, value, onChange, onSave, open }: TextEditorProps & { readonly open: typeof openEditor }): React.JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorHandle>(undefined);
  const latest = useRef({ value, onChange, onSave });
  useEffect(() => {
    latest.current = { value, onChange, onSave };
    editor.current?.setText(value);
  });
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    if (host.current === null) return undefined;
    const opened = open(host.current, {
      label,
      text: latest.current.value,
      isReadOnly,
      onChange: (text) => latest.current.onChange?.(text),
      onSave: () => latest.current.onSave?.(),
    });
    editor.current = opened;
    return () => {
      editor.current = undefined;
      opened.close();
    };
  }, [label, isReadOnly, open]);
  return <div className={styles["editor"]} ref={host} />;
}

let loaded: typeof openEditor | undefined;

/** The editor's program; `undefined` until it is loaded. */
function useOpenEditor(): typeof openEditor | undefined {
  const [open, setOpen] = useState(() => loaded);
  useEffect(() => {
    if (open !== undefined) return undefined;
    let isGone = false;
    import("./open-editor.ts").then(
      (module) => {
        loaded = module.openEditor;
        if (!isGone) setOpen(() => module.openEditor);
      },
      // The plain field stays.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [open]);
  return open;
}
