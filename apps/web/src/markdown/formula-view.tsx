import { useEffect, useMemo, useState } from "react";
import type { renderFormula } from "./render-formula.ts";

interface FormulaViewProps {
  readonly tex: string;
  /** As it was written, which is what copying gives. */
  readonly source: string;
  readonly display: boolean;
}

/** What draws formulas, once one was there; the page does not wait for it. */
let loaded: typeof renderFormula | undefined;

/** A formula as MathML. Until that is loaded, and when the TeX is not complete or wrong, it is shown as it was written. */
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
      // Without a connection the source stays: it is all there.
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
