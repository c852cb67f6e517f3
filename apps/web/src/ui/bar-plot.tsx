import { useEffect, useRef, useState } from "react";
import { sentenceSpace } from "../i18n/sentence-space.ts";
import { t } from "../i18n/t.ts";
import { Button } from "./button.tsx";
import styles from "./bar-plot.module.css";
import type { BarColours, BarData, drawBars } from "./draw-bars.ts";
import { useTheme } from "./use-theme.ts";

interface BarPlotProps {
  readonly title: string;
  /** The same object as long as nothing changes: another one is drawn again. At most three series. */
  readonly data: BarData;
}

/** Bars of stacked parts. Screen readers skip them: next to it there must be a table of the same values. The program that draws is loaded when the first plot is shown. */
export function BarPlot({ title, data }: BarPlotProps): React.JSX.Element {
  const figure = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const { draw, retry } = useDrawBars();
  const theme = useTheme();
  useEffect(() => {
    if (draw === undefined || figure.current === null || box.current === null) return undefined;
    setPointed(undefined);
    return draw(box.current, data, coloursOf(figure.current, box.current), setPointed);
  }, [draw, data, theme]);
  const { names, series, format } = data;
  const name = pointed === undefined ? undefined : names[pointed];
  return (
    <figure className={styles["plot"]} ref={figure}>
      <figcaption>{title}</figcaption>
      <ul className={styles["legend"]} hidden={series.length === 1}>
        {series.map(({ label }, index) => (
          <li key={label}>
            <span className={`${styles["swatch"]} ${styles[`series${index}`]}`} data-swatch="" />
            {label}
          </li>
        ))}
      </ul>
      {retry === undefined ? null : (
        <p>
          {t("The plot could not be loaded. The table has the same values.")}
          {sentenceSpace()}
          <Button variant="text" onClick={retry}>
            {t("Try again")}
          </Button>
        </p>
      )}
      <div className={styles["box"]} data-layout={data.layout} ref={box} aria-hidden="true" />
      <p className={styles["reading"]} aria-hidden="true">
        {name === undefined ? null : `${name}: ${series.map(({ values }) => format(values[pointed ?? 0] ?? 0)).join(" + ")}`}
      </p>
    </figure>
  );
}

let loaded: typeof drawBars | undefined;

interface DrawBars {
  /** Absent until it is loaded. */
  readonly draw?: typeof drawBars;
  /** Present if it could not be loaded. */
  readonly retry?: () => void;
}

/** The program that draws. */
function useDrawBars(): DrawBars {
  const [draw, setDraw] = useState(() => loaded);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (draw !== undefined || failed) return undefined;
    let isGone = false;
    import("./draw-bars.ts").then(
      (module) => {
        loaded = module.drawBars;
        if (!isGone) setDraw(() => module.drawBars);
      },
      () => {
        if (!isGone) setFailed(true);
      },
    );
    return () => {
      isGone = true;
    };
  }, [draw, failed]);
  if (draw !== undefined) return { draw };
  return failed ? { retry: () => setFailed(false) } : {};
}

/** What the style sheet says, with the theme applied. */
function coloursOf(figure: HTMLElement, box: HTMLElement): BarColours {
  const { color, borderTopColor, fontFamily } = getComputedStyle(box);
  const swatches = [...figure.querySelectorAll("[data-swatch]")];
  return { text: color, line: borderTopColor, font: fontFamily, series: swatches.map((swatch) => getComputedStyle(swatch).color) };
}
