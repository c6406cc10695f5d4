import clsx from "clsx";
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { Link } from "./link.tsx";

export type TableColumn<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The side to which cells align: "end" for columns of numbers. */
  align?: "start" | "end";
  /** The cell that names the row; one per table. */
  rowHeader?: boolean;
  /** Link that sorts by this column, and the current direction. */
  sort?: { href: string; direction?: "ascending" | "descending" };
};

type Props<Row> = {
  /** Describes the table for screen readers. */
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** False keeps the columns on a phone, for two or three narrow ones. */
  cards?: boolean;
};

/**
 * A table; on a phone, each row is a card with labeled values. ARIA roles are explicit, because `display:
 * block` would remove them for screen readers.
 */
export function Table<Row>({ caption, columns, rows, rowKey, cards = true }: Props<Row>) {
  return (
    // Content wider than a phone scrolls, also with the keyboard.
    <div
      {...(cards ? {} : { role: "region", tabIndex: 0, "aria-label": caption, className: "overflow-x-auto" })}
    >
      <table role="table" className={clsx("w-full border-collapse text-start", cards && "table-cards")}>
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup" className="border-b border-edge/50 text-sm text-muted">
          <tr role="row" className="h-11">
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="divide-y divide-line">
          {rows.map((row) => (
            <tr role="row" key={rowKey(row)} className="hover:bg-sunken/60">
              {columns.map((column) => (
                <BodyCell key={column.key} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeadCell<Row>({ column }: { column: TableColumn<Row> }) {
  const { sort } = column;
  const sortIcon =
    sort?.direction === "ascending"
      ? "arrow-up"
      : sort?.direction === "descending"
        ? "arrow-down"
        : "arrow-up-down";
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={sort?.direction}
      className={clsx(
        "px-3 py-1 font-[550] sm:first:ps-6 sm:last:pe-6",
        column.align === "end" ? "text-end" : "text-start",
      )}
    >
      {sort ? (
        <Link
          href={sort.href}
          className="inline-flex min-h-11 items-center gap-1 hover:text-ink hover:underline"
        >
          {column.header}
          <Icon as={sortIcon} size={16} />
        </Link>
      ) : (
        column.header
      )}
    </th>
  );
}

function BodyCell<Row>({ column, row }: { column: TableColumn<Row>; row: Row }) {
  const className = clsx(
    "px-3 py-3 align-top sm:first:ps-6 sm:last:pe-6",
    column.align === "end" ? "text-end tabular-nums" : "text-start",
  );
  if (column.rowHeader) {
    return (
      <th
        role="rowheader"
        scope="row"
        className={clsx(className, "font-[550] [&_a]:-my-2.5 [&_a]:inline-block [&_a]:py-2.5")}
      >
        {column.cell(row)}
      </th>
    );
  }
  return (
    <td role="cell" data-label={column.header} className={className}>
      {column.cell(row)}
    </td>
  );
}
