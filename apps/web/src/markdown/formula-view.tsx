import { useEffect, useMemo, useState } from "react";
import type { renderFormula } from "./render-formula.ts";

interface FormulaViewProps {
  readonly tex: string;
  /** The source, which is copied. */
  readonly source: string;
  readonly display: boolean;
}

/** The renderer, loaded for the first formula; the page does not wait for it. */
let loaded: typeof renderFormula | undefined;

/** A formula as MathML. Its source is shown until the renderer is loaded, and if the TeX is incomplete or invalid. */
export function FormulaView({ tex, source, display }: FormulaViewProps): React.JSX.Element {
  const [render, setRender] = useState(() => loaded);
  useEffect(() => {
    if (render !== undefined) return;
    let isGone = false;
    import("./render-formula.ts").then(
      (module) => {
        loaded = module.renderFormula;
        if (!isGone) setRender(() => module.renderFormula);
      },
      // Without a connection the source stays visible.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [render]);
  const drawn = useMemo(() => render?.(tex, { display }), [render, tex, display]);
  if (drawn === undefined) return <code className={display ? "formula-source display" : "formula-source"}>{source}</code>;
  return (
    <span className={display ? "formula display" : "formula"} data-source={source}>
      {drawn}
    </span>
  );
}
