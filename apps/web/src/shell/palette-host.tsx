import { createContext, lazy, Suspense, useContext, useEffect, useMemo, useState } from "react";

/** Loaded when it is opened first. */
const CommandPalette = lazy(async () => ({ default: (await import("./command-palette.tsx")).CommandPalette }));

interface Palette {
  readonly open: () => void;
}

const PaletteContext: React.Context<Palette | undefined> = createContext<Palette | undefined>(undefined);

/** The command palette, which Ctrl-K or ⌘K opens on every page. */
export function PaletteHost({ children }: { readonly children: React.ReactNode }): React.JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const palette = useMemo<Palette>(() => ({ open: () => setOpen(true) }), []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      // Some browsers search with it.
      event.preventDefault();
      // A dialog that is open has to be answered first.
      if (document.querySelector("dialog[open]") === null) setOpen(true);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <PaletteContext value={palette}>
      {children}
      {isOpen ? (
        <Suspense fallback={null}>
          <CommandPalette onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </PaletteContext>
  );
}

/** The way to the palette; throws outside of the shell. */
export function usePalette(): Palette {
  const palette = useContext(PaletteContext);
  if (palette === undefined) throw new Error("The palette was opened outside of the shell.");
  return palette;
}
