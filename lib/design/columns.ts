/** Records as one list per field, so that a page has the name of each field once; null where a record has no value. */
export type Columns<Row> = { [Field in keyof Row]?: readonly (Row[Field] | null)[] };

export function toColumns<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))] as (keyof Row)[];
  const columns: Columns<Row> = {};
  for (const field of fields) columns[field] = rows.map((row) => row[field] ?? null);
  return columns;
}

export function fromColumns<Row extends object>(columns: Columns<Row>): Row[] {
  const entries = Object.entries(columns) as [keyof Row, readonly unknown[]][];
  const length = entries[0]?.[1].length ?? 0;
  return Array.from(
    { length },
    (_, at) =>
      Object.fromEntries(
        entries.flatMap(([field, values]) => (values[at] === null ? [] : [[field, values[at]]])),
      ) as Row,
  );
}
