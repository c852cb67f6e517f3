import { useState } from "react";
import { compareTexts } from "../app/locale.ts";
import { t } from "../i18n/t.ts";
import { Icon } from "./icon.tsx";
import { ScrollBox } from "./scroll-box.tsx";
import styles from "./table.module.css";

/** A column of a table. */
export interface Column<Row> {
  /** Unique within the table. */
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => React.ReactNode;
  /** What rows are sorted by when the title is pressed; a column without it cannot be sorted by. */
  readonly sortBy?: (row: Row) => string | number;
  /** Numbers stand at the end of their column. */
  readonly align?: "start" | "end";
}

interface TableProps<Row> {
  /** What the table holds, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

interface Order {
  readonly id: string;
  readonly descending: boolean;
}

/** Rows in columns. The head stays in view, and a wide table is scrolled inside its own box, whose edges show that there is more; the keyboard does both. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>): React.JSX.Element {
  const [order, setOrder] = useState<Order>();
  return (
    <ScrollBox className={`${styles["box"]} shows-more`} label={caption}>
      <table className={styles["table"]}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} order={order?.id === column.id ? order : undefined} onOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sortRows(rows, columns, order).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ id, cell, align }) => (
                <td key={id} className={align === "end" ? styles["end"] : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order) => void;
}

function Head<Row>({ column: { id, title, sortBy, align }, order, onOrder }: HeadProps<Row>): React.JSX.Element {
  const sorted = order === undefined ? undefined : order.descending ? "descending" : "ascending";
  return (
    <th scope="col" className={align === "end" ? styles["end"] : undefined} aria-sort={sorted}>
      {sortBy === undefined ? (
        title
      ) : (
        <button
          type="button"
          className={styles["sort"]}
          title={t("Sort by {column}", { column: title })}
          onClick={() => onOrder({ id, descending: order?.descending === false })}
        >
          {title}
          {sorted === undefined ? null : <Icon name={sorted === "ascending" ? "up" : "down"} />}
        </button>
      )}
    </th>
  );
}

/** The rows in an order; as they were given without one. Equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | undefined): readonly Row[] {
  const sortBy = columns.find(({ id }) => id === order?.id)?.sortBy;
  if (order === undefined || sortBy === undefined) return rows;
  const sign = order.descending ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(sortBy(a), sortBy(b)));
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareTexts(String(a), String(b));
}
