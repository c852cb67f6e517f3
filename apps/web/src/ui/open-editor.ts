import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";

/** How an editor is opened. */
export interface EditorOptions {
  readonly label: string;
  readonly text: string;
  readonly isReadOnly: boolean;
  /** Called with the whole text after each change by the person. */
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

/** An editor that is shown. */
export interface EditorHandle {
  /** Replaces the text if it is another one; the cursor stays where it is as far as possible. */
  readonly setText: (text: string) => void;
  readonly close: () => void;
}

/** Opens an editor in an element. It is inside a shadow root: there its styles are constructed sheets, which the page's policy needs not allow. Tab leaves the editor. */
export function openEditor(host: HTMLElement, { label, text, isReadOnly, onChange, onSave }: EditorOptions): EditorHandle {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let isOurs = false;
  const save = (): boolean => {
    onSave();
    return true;
  };
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        keymap.of([{ key: "Mod-s", run: save, preventDefault: true }, ...defaultKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({ "aria-label": label, dir: "auto", tabindex: "0" }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.editable.of(!isReadOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOurs) onChange(update.state.doc.toString());
        }),
        LOOK,
      ],
    }),
  });
  return {
    setText(next) {
      const { doc } = view.state;
      if (doc.length === next.length && doc.toString() === next) return;
      isOurs = true;
      view.dispatch({ changes: differenceOf(doc.toString(), next) });
      isOurs = false;
    },
    close: () => view.destroy(),
  };
}

/** The one piece in which two texts differ, so that the cursor outside of it stays. */
function differenceOf(before: string, after: string): { readonly from: number; readonly to: number; readonly insert: string } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/** Custom properties of the page reach into the shadow root. */
const LOOK = EditorView.theme({
  "&": { height: "100%", maxHeight: "70vh", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "0.875rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "0.75rem 0" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--side)", borderColor: "var(--line)" },
});
