/** Copies formulas as their source, because the browser would copy only the letters of a rendered one. A selection without formulas is left to the browser. */
export function copyAsWritten(event: React.ClipboardEvent): void {
  const selection = window.getSelection();
  if (selection === null || selection.rangeCount === 0 || selection.isCollapsed) return;
  const range = selection.getRangeAt(0).cloneRange();
  // A part of a formula is not valid TeX, so the whole is selected.
  const first = formulaAround(range.startContainer);
  const last = formulaAround(range.endContainer);
  if (first !== null) range.setStartBefore(first);
  if (last !== null) range.setEndAfter(last);
  const fragment = range.cloneContents();
  const formulas = fragment.querySelectorAll<HTMLElement>(".formula");
  if (formulas.length === 0) return;
  for (const formula of formulas) formula.replaceWith(formula.dataset["source"] ?? "");
  // The lines are only known after layout.
  const layout = document.createElement("div");
  layout.className = "copy-layout";
  layout.append(fragment);
  document.body.append(layout);
  event.clipboardData.setData("text/plain", layout.innerText);
  layout.remove();
  event.preventDefault();
}

function formulaAround(node: Node): Element | null {
  return (node instanceof Element ? node : node.parentElement)?.closest(".formula") ?? null;
}
